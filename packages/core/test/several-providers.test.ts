import { describe, expect, it } from 'vitest';
import type { LlmProvider } from '../src/llm/llm-provider.js';
import type { SettingsInput } from '../src/settings/settings.js';
import { change, file, finding, harness, reply, scriptedProvider } from './criticizer-harness.js';

const open = file('//depot/open/a.ts', ['const openCode = 1;']);
const vault = file('//vault/core/b.ts', ['const vaultCode = 2;']);
const mixed = change({ description: 'Speaks of both sides', files: [open, vault] });
/** The public model may see the depot, the one in the house all. */
const byPath: SettingsInput = {
  egress: {
    policy: [
      { paths: ['//depot/...'], providers: ['public'] },
      { paths: ['//vault/...'], providers: ['house'] },
    ],
  },
};

function models(settings = byPath, given = mixed) {
  const found = (path: string) => reply([finding({ file: path })]);
  const outside = scriptedProvider([found('//depot/open/a.ts')], 'public');
  const inside = scriptedProvider([found('//vault/core/b.ts')], 'house');
  const llm: LlmProvider[] = [outside.provider, { ...inside.provider, model: 'house-2' }];
  return { outside: outside.sent, inside: inside.sent, t: harness({ change: given, more: { llm, settings } }) };
}

describe('a change whose paths have different providers', () => {
  it('EGR-2: is reviewed by both, each seeing the files that it may see, and neither the description', async () => {
    const { outside, inside, t } = models();
    const id = await t.run();
    await t.criticizer.stop();
    expect([outside.length, inside.length]).toEqual([1, 1]);
    expect(outside[0]).toContain('openCode');
    expect(inside[0]).toContain('vaultCode');
    for (const [sent, kept] of [
      [outside[0], 'vault'],
      [inside[0], '//depot/open'],
      [outside[0], 'Speaks of both sides'],
      [inside[0], 'Speaks of both sides'],
    ])
      expect(sent).not.toContain(kept);
    const review = await t.criticizer.review(id);
    expect(review).toMatchObject({ coverage: { complete: true }, state: { verdict: 'findings' } });
    expect(review?.result.findings.map((one) => one.file).sort()).toEqual(['//depot/open/a.ts', '//vault/core/b.ts']);
    expect(review?.reviewers.map(({ provider, model }) => [provider, model])).toEqual([
      ['public', 'scripted-1'],
      ['house', 'house-2'],
    ]);
    expect(review?.usage.map(({ provider, replies }) => [provider, replies])).toEqual([
      ['public', 1],
      ['house', 1],
    ]);
    const records = await t.stores.egress.list({ jobId: id, destination: 'llm' });
    expect(records.map(({ provider, paths }) => [provider, paths]).sort()).toEqual([
      ['house', ['//vault/core/b.ts']],
      ['public', ['//depot/open/a.ts']],
    ]);
  });

  it('EGR-3: the dry run plans the requests of both', async () => {
    const { t } = models();
    const plan = await t.criticizer.dryRun({ serverId: 'main', number: 7 });
    expect(plan).toMatchObject({
      kind: 'planned',
      requests: [
        { provider: 'public', paths: ['//depot/open/a.ts'] },
        { provider: 'house', model: 'scripted-1', paths: ['//vault/core/b.ts'] },
      ],
    });
  });

  it('EGR-2: one provider that may see all reviews all, description included, though another is preferred for a part', async () => {
    const { outside, inside, t } = models({
      egress: {
        policy: [
          { paths: ['//...'], providers: ['house'] },
          { paths: ['//depot/...'], providers: ['public', 'house'] },
        ],
      },
    });
    await t.run();
    await t.criticizer.stop();
    expect([outside.length, inside.length]).toEqual([0, 1]);
    for (const shown of ['openCode', 'vaultCode', 'Speaks of both sides']) expect(inside[0]).toContain(shown);
  });

  it('EGR-2: a file that nobody may see keeps the whole change back, and it waits', async () => {
    const { outside, inside, t } = models(byPath, change({ files: [open, file('//other/c.ts', ['c()'])] }));
    await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
    await t.criticizer.start();
    const end = await t.seen((e) => e.type === 'stage.ended' && e.stage === 'llm');
    await t.criticizer.stop();
    expect(end).toMatchObject({ outcome: 'wait', code: 'EGRESS_PROVIDER_DENIED' });
    expect([...outside, ...inside]).toEqual([]);
  });

  it('GRD-1: after a failure of one, the stored reply of the other is read', async () => {
    const outside = scriptedProvider([reply([])], 'public');
    const failing = scriptedProvider([reply([], { stop: 'empty', text: '' }), reply([])], 'house');
    const t = harness({ change: mixed, more: { llm: [outside.provider, failing.provider], settings: byPath } });
    const id = await t.run();
    await t.criticizer.stop();
    expect([outside.sent.length, failing.sent.length]).toEqual([1, 2]);
    expect(await t.criticizer.review(id)).toMatchObject({ state: { verdict: 'no_findings' } });
  });
});
