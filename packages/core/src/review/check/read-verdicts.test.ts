import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareSeverity, SEVERITIES, type Severity } from '../review-result.js';
import { CHECK_VERDICTS, type CheckCandidate, type ReadVerdictsInput, readVerdicts } from './read-verdicts.js';

const candidates: readonly CheckCandidate[] = [
  { id: 'a', severity: 'high' },
  { id: 'b', severity: 'critical' },
];

function read(text: string | readonly string[], more: Partial<ReadVerdictsInput> = {}) {
  const texts = typeof text === 'string' ? [text] : text;
  const { outcomes, diagnostics } = readVerdicts({
    texts,
    stop: 'complete',
    candidates,
    checkVersion: '1.0',
    maxBytes: 100_000,
    redact: (value) => value.replaceAll('hunter', '[REDACTED]'),
    ...more,
  });
  return { outcomes: Object.fromEntries(outcomes), diagnostics };
}

const reply = (verdicts: readonly unknown[], more: object = {}): string =>
  JSON.stringify({ check_version: '1.0', verdicts, ...more });

describe('readVerdicts', () => {
  it('GRD-5: keeps, lowers and drops by our ids, each with its redacted reason', () => {
    const { outcomes, diagnostics } = read(
      reply([
        { id: 'b', reason: 'Only where hunter is set.', verdict: 'lower', severity: 'medium' },
        { id: ' a ', reason: 'Line 3 checks it.', verdict: 'drop', severity: null },
      ]),
    );
    expect(outcomes).toEqual({
      a: { verdict: 'drop', reason: 'Line 3 checks it.' },
      b: { verdict: 'lower', severity: 'medium', reason: 'Only where [REDACTED] is set.' },
    });
    expect(diagnostics).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['raises its severity', { verdict: 'lower', severity: 'critical', reason: 'worse' }, 'severity_raised'],
    ['keeps it under a higher severity', { verdict: 'keep', severity: 'critical', reason: 'worse' }, 'severity_raised'],
    ['lowers it to what it is', { verdict: 'lower', severity: 'high', reason: 'the same' }, 'severity_not_below'],
    ['lowers it to nothing', { verdict: 'lower', reason: 'less' }, 'severity_not_below'],
    ['lowers it to no severity', { verdict: 'lower', severity: 'minor', reason: 'less' }, 'verdict_invalid'],
    ['drops it without a reason', { verdict: 'drop' }, 'reason_missing'],
    ['drops it for marks alone', { verdict: 'drop', reason: ' -- ' }, 'reason_missing'],
    ['lowers it without a reason', { verdict: 'lower', severity: 'low', reason: '' }, 'reason_missing'],
    ['says another word', { verdict: 'DELETE', reason: 'wrong' }, 'verdict_invalid'],
  ])('GRD-5: a finding stays as it is where the reply %s', (_name, sent, because) => {
    const { outcomes } = read(
      reply([
        { id: 'a', ...sent },
        { id: 'b', verdict: 'keep', reason: 'right' },
      ]),
    );
    expect(outcomes).toEqual({
      a: { verdict: null, because, failure: null },
      b: { verdict: 'keep', reason: 'right' },
    });
  });

  it('GRD-5: what is unanswered stays, and a verdict on anything else is ignored with a diagnostic', () => {
    const { outcomes, diagnostics } = read(
      reply([{ id: 'zz', verdict: 'drop', reason: 'x' }, 'drop a', { id: 'a', verdict: 'keep', reason: '', note: 1 }]),
    );
    expect(outcomes['a']).toEqual({ verdict: 'keep', reason: '' });
    expect(outcomes['b']).toEqual({ verdict: null, because: 'unanswered', failure: null });
    expect(diagnostics).toEqual([
      { code: 'verdict_ignored', index: 0, findingId: 'zz' },
      { code: 'verdict_ignored', index: 1, findingId: null },
      { code: 'unknown_key_stripped', index: 2, findingId: 'a', field: 'note' },
    ]);
  });

  it('GRD-5: two verdicts on one finding that differ leave it as it is, also over several texts', () => {
    const drop = { id: 'a', verdict: 'drop', reason: 'x' };
    const keep = { id: 'a', verdict: 'keep', reason: 'y' };
    const differ = { verdict: null, because: 'verdicts_differ', failure: null };
    expect(read(reply([drop, keep])).outcomes['a']).toEqual(differ);
    expect(read([reply([drop]), reply([keep])]).outcomes['a']).toEqual(differ);
    expect(read(reply([drop, drop])).outcomes['a']).toEqual({ verdict: 'drop', reason: 'x' });
  });

  it.each<[string, string, string]>([
    ['is prose', 'All fine, drop everything.', 'no_json'],
    ['is a review', JSON.stringify({ schema_version: '1.0', findings: [] }), 'schema_mismatch'],
    [
      'has another version',
      reply([{ id: 'a', verdict: 'drop', reason: 'x' }], { check_version: '9.0' }),
      'incompatible_version',
    ],
    [
      'is a draft and an answer that differ',
      `${reply([{ id: 'a', verdict: 'drop', reason: 'x' }])} or ${reply([{ id: 'a', verdict: 'keep', reason: 'y' }])}`,
      'ambiguous_candidates',
    ],
  ])('GRD-5: all findings stay where the reply %s', (_name, text, failure) => {
    const stays = { verdict: null, because: 'reply_unusable', failure };
    expect(read(text).outcomes).toEqual({ a: stays, b: stays });
  });

  it('GRD-5: a fenced reply is read; of one that was cut only whole verdicts count', () => {
    const whole = reply([
      { id: 'a', reason: 'x', verdict: 'drop' },
      { id: 'b', reason: 'y', verdict: 'drop' },
    ]);
    expect(read(`\`\`\`json\n${whole}\n\`\`\``).outcomes['b']).toEqual({ verdict: 'drop', reason: 'y' });
    const cut = read(whole.slice(0, whole.indexOf('"y"') + 2), { stop: 'truncated_output' });
    expect(cut.outcomes).toEqual({
      a: { verdict: 'drop', reason: 'x' },
      b: { verdict: null, because: 'unanswered', failure: null },
    });
  });

  it('GRD-5: whatever the reply, each candidate has exactly one outcome, no severity is raised, no drop lacks a reason', () => {
    const severity = fc.constantFrom<Severity>(...SEVERITIES);
    const ids = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', '__proto__', 'constructor'), { maxLength: 5 });
    const list = ids.chain((all) => fc.tuple(...all.map((id) => fc.record({ id: fc.constant(id), severity }))));
    const member = fc.record(
      {
        id: fc.oneof(fc.constantFrom('a', 'b', 'c', '__proto__', 'z'), fc.jsonValue()),
        verdict: fc.oneof(fc.constantFrom(...CHECK_VERDICTS), fc.jsonValue()),
        severity: fc.oneof(severity, fc.jsonValue()),
        reason: fc.oneof(fc.string(), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    const text = fc.oneof(
      fc.array(fc.oneof(member, fc.jsonValue())).map((all) => reply(all)),
      fc.json(),
      fc.string(),
    );
    const stop = fc.constantFrom('complete', 'truncated_output', 'refused', 'empty');
    fc.assert(
      fc.property(
        list,
        fc.array(text, { minLength: 1, maxLength: 2 }),
        stop,
        fc.nat(400),
        (sent, texts, ended, cut) => {
          const [first = '', ...rest] = texts;
          const { outcomes } = readVerdicts({
            texts: [ended === 'truncated_output' ? first.slice(0, cut) : first, ...rest],
            stop: ended as ReadVerdictsInput['stop'],
            candidates: sent,
            checkVersion: '1.0',
            maxBytes: 100_000,
            redact: (value) => value,
          });
          expect([...outcomes.keys()]).toEqual(sent.map(({ id }) => id));
          for (const { id, severity: before } of sent) {
            const outcome = outcomes.get(id);
            if (outcome?.verdict === 'lower') expect(compareSeverity(outcome.severity, before)).toBeGreaterThan(0);
            if (outcome?.verdict === 'drop') expect(outcome.reason).toMatch(/[\p{L}\p{N}]/u);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it('GRD-5: a draft and an answer that differ drop nothing, whatever another text of the reply says', () => {
    const drop = reply([{ id: 'a', reason: 'Line 3 checks it.', verdict: 'drop' }]);
    const keep = reply([{ id: 'a', reason: 'It holds.', verdict: 'keep' }]);
    expect(read([`${keep}\n${drop}`]).outcomes['a']).toMatchObject({ verdict: null, failure: 'ambiguous_candidates' });
    expect(read([`${keep}\n${drop}`, drop]).outcomes['a']).toMatchObject({
      verdict: null,
      failure: 'ambiguous_candidates',
    });
  });
});
