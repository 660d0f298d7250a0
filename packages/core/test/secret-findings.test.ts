import { describe, expect, it } from 'vitest';
import { CriticizerError } from '../src/foundation/errors.js';
import type { StoredReview } from '../src/stages/llm/stored-review.js';
import { change, file, finding, harness, reply } from './criticizer-harness.js';

const value = (name: string) => ['secret', `${name}1234`].join('-');
const leaky = file('//depot/a.ts', ['const a = 1;', `const key = '${value('abcd')}';`]);
const ours = (review: StoredReview | null) =>
  (review?.findings ?? []).flatMap((one) =>
    one.origin === 'redaction' ? [{ file: one.file, line: one.place.line, severity: one.severity }] : [],
  );

async function review(t: ReturnType<typeof harness>) {
  const id = await t.run();
  const stored = await t.criticizer.review(id);
  const content = JSON.parse(t.mailer.accepted()[0]?.mail.text ?? '{}');
  const job = (await t.criticizer.status(id))?.job;
  await t.criticizer.stop();
  return { stored, content, job };
}

describe('findings about withheld secrets', () => {
  it('GRD-7: stand in review, mail, counts and verdict beside those of the model, and never hold the value', async () => {
    const t = harness({
      change: change({ files: [leaky], description: `Uses ${value('desc')}` }),
      script: [reply([finding({ severity: 'low' })])],
    });
    const { stored, content, job } = await review(t);
    expect(ours(stored)).toEqual([
      { file: null, line: null, severity: 'high' },
      { file: '//depot/a.ts', line: 2, severity: 'high' },
    ]);
    expect(stored?.findings.map(({ origin }) => origin)).toEqual(['redaction', 'redaction', 'model']);
    expect(stored?.result.findings).toHaveLength(1);
    expect(content).toMatchObject({ withheldSecrets: 2, secrets: [], result: { findings: [{}, {}, {}] } });
    expect(job?.result).toMatchObject({ verdict: 'findings', findings: { high: 2, low: 1 }, secretsWithheld: 2 });
    for (const name of ['abcd', 'desc']) expect(JSON.stringify([stored, content, job])).not.toContain(`${name}1234`);
  });

  it('GRD-7: keep a review from being clean where the model finds nothing', async () => {
    const { stored, content } = await review(harness({ change: change({ files: [leaky] }), script: [reply([])] }));
    expect(stored?.state).toEqual({ verdict: 'findings', doubts: [] });
    expect(content.result.findings).toMatchObject([{ origin: 'redaction', rule_id: 'marked' }]);
    expect(content.isWithoutModel).toBeUndefined();
  });

  it('GRD-7: are there without any model', async () => {
    const t = harness({ change: change({ files: [leaky] }), more: { llm: 'none' } });
    const { stored, content } = await review(t);
    expect(t.sent).toEqual([]);
    expect(ours(stored)).toEqual([{ file: '//depot/a.ts', line: 2, severity: 'high' }]);
    expect(content).toMatchObject({
      ...{ conclusive: false, isWithoutModel: true },
      result: { findings: [{ origin: 'redaction' }] },
    });
  });

  it('GRD-7: are there for files that are kept from the model', async () => {
    const asset = file('//depot/x.prefab', [`m_Token: ${value('abcd')}`]);
    const settings = { intake: { skipPaths: ['unity'] } };
    const files = [file('//depot/b.ts', ['const b = 1;']), asset];
    const { stored } = await review(harness({ change: change({ files }), script: [reply([])], more: { settings } }));
    expect(ours(stored)).toEqual([{ file: '//depot/x.prefab', line: 1, severity: 'high' }]);
    expect(stored?.findings[0]?.identity.line).toMatch(/^[0-9a-f]{16}$/);
  });

  it('GRD-7: name the true path of a file whose path is hidden from the model', async () => {
    const hidden = file(`//depot/${value('path')}/a.ts`, ['const a = 1;'], { action: 'add' });
    const { content } = await review(harness({ change: change({ files: [hidden] }), script: [reply([])] }));
    expect(content.result.findings).toMatchObject([{ file: `//depot/${value('path')}/a.ts`, place: { line: null } }]);
  });

  it('GRD-7 INT-3: obey the severity floor; those not shown stay in the list of places', async () => {
    const removed = file('//depot/c.ts', [], {
      hunks: [{ oldStart: 4, oldLines: 1, newStart: 4, newLines: 0, lines: [`-${value('gone')}`] }],
    });
    const given = change({ files: [leaky, removed] });
    const settings = { review: { severityFloor: 'medium' as const } };
    const { content } = await review(harness({ change: given, script: [reply([])], more: { settings } }));
    expect(content.result.findings).toMatchObject([{ file: '//depot/a.ts' }]);
    expect(content.notShown).toMatchObject({ belowFloor: 1 });
    expect(content.secrets).toMatchObject([{ path: '//depot/c.ts', where: 'removed' }]);
    const silent = { ...settings, mail: { whenNothingToSay: false } };
    const quiet = harness({ change: change({ files: [removed] }), script: [reply([])], more: { settings: silent } });
    await quiet.run();
    expect(quiet.mailer.accepted()).toEqual([]);
    await quiet.criticizer.stop();
  });

  it('GRD-7: are mailed though the model refuses, in a review that is not called whole', async () => {
    const refused = reply([], { stop: 'refused', text: '' });
    const { stored, content, job } = await review(harness({ change: change({ files: [leaky] }), script: [refused] }));
    expect(job?.status).toBe('completed');
    expect(ours(stored)).toEqual([{ file: '//depot/a.ts', line: 2, severity: 'high' }]);
    expect(stored?.coverage.totals).toMatchObject({ reviewed_full: 0, files: 1 });
    expect(stored?.diagnostics).toContainEqual(
      expect.objectContaining({ code: 'provider_failed', reason: 'LLM_REFUSED', next: [] }),
    );
    expect(content).toMatchObject({
      ...{ conclusive: false, isWithoutModel: true },
      result: { findings: [{ origin: 'redaction' }] },
    });
    expect(content.coverage.files).toMatchObject([{ path: '//depot/a.ts', state: 'skipped' }]);
  });

  it('GRD-7 OUT-3: are counted in the dead letter of any other failure; below the floor a refusal is one', async () => {
    const quota = new CriticizerError('LLM_QUOTA_EXHAUSTED', 'x', { category: 'policy' });
    const t = harness({ change: change({ files: [leaky] }), script: [quota] });
    await t.run();
    await t.criticizer.stop();
    const [letter] = await t.stores.deadLetters.list({});
    expect([letter?.errorClass, letter?.escalation]).toEqual(['LLM_QUOTA_EXHAUSTED', 'operator']);
    expect(JSON.stringify(letter?.sanitizedContext)).toContain('"unreportedSecrets":{"high":1}');
    expect(letter?.lastStack).toContain('Withheld credentials that nobody was told of: 1 high.');
    const settings = { review: { severityFloor: 'critical' as const } };
    const script = [reply([], { stop: 'refused', text: '' })];
    const low = harness({ change: change({ files: [leaky] }), script, more: { settings } });
    await low.run();
    await low.criticizer.stop();
    expect(await low.stores.deadLetters.list({})).toMatchObject([{ errorClass: 'LLM_REFUSED' }]);
  });
});
