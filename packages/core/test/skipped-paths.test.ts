import { describe, expect, it } from 'vitest';
import type { ChangeFetcher } from '../src/changes/change-fetcher.js';
import { createMemoryChangeFetcher } from '../src/changes/memory-change-fetcher.js';
import { CriticizerError } from '../src/foundation/errors.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { change, file, finding, harness, reply, sharedArtifacts } from './criticizer-harness.js';

const code = file('//depot/src/a.ts', ['const code = 1;']);
const asset = file('//depot/Assets/a.prefab', ['m_Name: Crate']);
const leaky = file('//depot/Assets/b.prefab', ['m_Token: secret-abcd1234'], { newText: 'm_Token: secret-abcd1234' });
const skipPaths = ['unity', '//depot/data/...'];
const unity = { intake: { skipPaths } };

const found = [reply([finding({ file: '//depot/src/a.ts' })])];

describe('settings.intake.skipPaths', () => {
  it('INT-1: keeps such files from the model, counts them as filtered, and still scans them for secrets', async () => {
    const given = change({ files: [code, asset, leaky] });
    const t = harness({ change: given, script: found, more: { settings: unity } });
    const id = await t.run();
    await t.criticizer.stop();
    expect(t.sent).toHaveLength(1);
    expect(t.sent[0]).toContain('const code');
    for (const kept of ['prefab', 'm_Name', 'm_Token']) expect(t.sent[0]).not.toContain(kept);
    const review = await t.criticizer.review(id);
    expect(review?.coverage).toMatchObject({
      complete: false,
      totals: { files: 3, reviewed_full: 1, skipped: 2 },
      files: [
        { path: '//depot/src/a.ts', state: 'reviewed_full' },
        { path: '//depot/Assets/a.prefab', state: 'skipped', reason: 'filtered' },
        { path: '//depot/Assets/b.prefab', state: 'skipped', reason: 'filtered' },
      ],
    });
    expect(review?.secretsWithheld).toBe(1);
    const fetched = t.events.find((event) => event.type === 'stage.reported' && event.stage === 'fetch');
    expect(fetched).toMatchObject({ facts: { files: 3, filesSkipped: 2, filesFiltered: 2, secretsWithheld: 1 } });
    const [record] = await t.stores.egress.list({ jobId: id, destination: 'llm' });
    expect(record?.paths).toEqual(['//depot/src/a.ts']);
  });

  it('INT-1: ends a change whose text is all filtered with the stored reason filtered_only', async () => {
    const deleted = file('//depot/src/old.ts', [], { skipped: 'deleted', hunks: [] });
    const given = change({ files: [asset, deleted] });
    const t = harness({ change: given, more: { settings: unity } });
    const id = await t.run();
    const plan = await t.criticizer.dryRun({ serverId: 'main', number: 7 });
    await t.criticizer.stop();
    const result = { skipped: 'filtered_only', detail: 'All 1 files with text lie under intake.skipPaths.' };
    expect((await t.criticizer.status(id))?.job).toMatchObject({ status: 'completed', result });
    expect(plan).toMatchObject({ kind: 'skipped', reason: 'filtered_only' });
    expect(t.sent).toEqual([]);
    expect(t.mailer.accepted()).toEqual([]);
  });

  it('tells of a secret where all text is filtered, without asking a model', async () => {
    const t = harness({ change: change({ files: [asset, leaky] }), more: { settings: unity } });
    await t.run();
    await t.criticizer.stop();
    expect(t.sent).toEqual([]);
    const content = JSON.parse(t.mailer.accepted()[0]?.mail.text ?? '{}');
    const findings = [{ file: '//depot/Assets/b.prefab', place: { line: 1 }, rule_id: 'marked' }];
    expect(content).toMatchObject({ withheldSecrets: 1, secrets: [], conclusive: false, result: { findings } });
    expect(JSON.stringify(content)).not.toContain('abcd1234');
  });

  it('EGR-3: the dry run plans without the filtered files and names them', async () => {
    const given = change({ files: [code, file('//depot/data/x.csv', ['1;2'])] });
    const t = harness({ change: given, more: { settings: unity } });
    const plan = await t.criticizer.dryRun({ serverId: 'main', number: 7 });
    expect(plan).toMatchObject({
      kind: 'planned',
      requests: [{ paths: ['//depot/src/a.ts'] }],
      withheldPaths: [{ path: '//depot/data/x.csv', reason: 'filtered' }],
    });
  });

  it('INT-1: has such files fetched for the scan alone, by the review and by the dry run', async () => {
    const given = change({ files: [code, asset] });
    const changes = createMemoryChangeFetcher({ serverId: 'main', changes: new Map([[7, given]]) });
    const scanOnly: string[][] = [];
    const watched: ChangeFetcher = {
      ...changes,
      fetch(number, request) {
        scanOnly.push(given.files.filter(({ path }) => request.isScanOnly?.(path)).map(({ path }) => path));
        return changes.fetch(number, request);
      },
    };
    const t = harness({ script: found, more: { settings: unity, changes: watched } });
    await t.run();
    await t.criticizer.dryRun({ serverId: 'main', number: 7 });
    await t.criticizer.stop();
    expect(scanOnly).toEqual([['//depot/Assets/a.prefab'], ['//depot/Assets/a.prefab']]);
  });

  it('INT-1: says which of them were not scanned, in coverage, in the report of the stage and in the reason', async () => {
    const unscanned = file('//depot/Assets/c.prefab', [], { skipped: 'unscanned', hunks: [] });
    const t = harness({
      change: change({ files: [code, asset, unscanned] }),
      script: found,
      more: { settings: unity },
    });
    const id = await t.run();
    await t.criticizer.stop();
    const review = await t.criticizer.review(id);
    expect(review?.coverage.files.slice(1)).toMatchObject([{ reason: 'filtered' }, { reason: 'unscanned' }]);
    const fetched = t.events.find((event) => event.type === 'stage.reported' && event.stage === 'fetch');
    expect(fetched).toMatchObject({ facts: { files: 3, filesSkipped: 2, filesFiltered: 2, filesUnscanned: 1 } });
    const only = harness({ change: change({ files: [asset, unscanned] }), more: { settings: unity } });
    const skipped = await only.run();
    await only.criticizer.stop();
    expect((await only.criticizer.status(skipped))?.job.result).toEqual({
      skipped: 'filtered_only',
      detail:
        'All 2 files with text lie under intake.skipPaths. The limits of fetch left 1 of them unscanned for secrets.',
    });
  });

  it('INT-1: does not count them against intake.maxFiles', async () => {
    const given = change({ files: [asset, leaky, code] });
    const settings = { intake: { skipPaths, maxFiles: 1 } };
    const t = harness({ change: given, script: found, more: { settings } });
    await t.run();
    await t.criticizer.stop();
    expect(t.sent).toHaveLength(1);
    const two = harness({
      change: change({ files: [asset, code, file('//depot/src/b.ts', ['b'])] }),
      more: { settings },
    });
    const id = await two.run();
    await two.criticizer.stop();
    const result = { skipped: 'size', detail: '2 files; at most 1 are reviewed.' };
    expect((await two.criticizer.status(id))?.job.result).toEqual(result);
  });

  it('matches the true path of a file whose path is hidden from the model', async () => {
    const hidden = file('//depot/secret-abcd1234/a.prefab', ['m_Name: Hidden']);
    const t = harness({ change: change({ files: [code, hidden] }), script: found, more: { settings: unity } });
    await t.run();
    await t.criticizer.stop();
    expect(t.sent[0]).not.toContain('m_Name');
  });

  it('goes by the setting in force when the model is asked: a replay needs no new fetch', async () => {
    const shared = { stores: createMemoryStores(), artifacts: sharedArtifacts() };
    const given = change({ files: [code, asset] });
    const broken = new CriticizerError('LLM_BROKEN', 'x', { category: 'validation' });
    const first = harness({ change: given, script: [broken], more: shared });
    const id = await first.run();
    await first.criticizer.stop();
    expect(first.sent[0]).toContain('m_Name');
    const [letter] = await shared.stores.deadLetters.list({});
    const second = harness({ change: given, script: found, more: { ...shared, settings: unity } });
    const actor = { type: 'admin_user', id: 'op' } as const;
    const letterId = { deadLetterId: letter?.id ?? '', stage: 'llm', fromStart: false };
    expect(await shared.stores.deadLetters.replay({ ...letterId, actor, evidence: 'filtered now' })).toBe('replayed');
    await second.criticizer.start();
    await second.seen((event) => event.type === 'stage.ended' && event.outcome === 'done');
    await second.criticizer.stop();
    expect(id).toBe(letter?.jobId);
    expect(second.sent[0]).toContain('const code');
    expect(second.sent[0]).not.toContain('m_Name');
  });

  it('refuses a pattern that could match nothing, by the name of the setting', () => {
    expect(() => harness({ more: { settings: { intake: { skipPaths: ['//depot/a/'] } } } })).toThrow(
      /settings\.intake\.skipPaths: depot pattern/,
    );
  });
});
