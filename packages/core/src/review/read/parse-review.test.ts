import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Hunk } from '../../changes/change.js';
import { type Diagnostic, REASON_CODES } from '../diagnostics.js';
import { reviewResultSchema } from '../review-result.js';
import { type AcceptedReview, type ParseReviewInput, parseReview, type RejectedReview } from './parse-review.js';

const EXPECTED = { promptVersion: '1.0', schemaVersion: '1.0' };
const HUNK: Hunk = {
  oldStart: 1,
  oldLines: 3,
  newStart: 1,
  newLines: 20,
  lines: [' int main() {', '-  old();', ...Array.from({ length: 19 }, (_, at) => `+  line_${at + 2}();`)],
};
const FILES = [
  { path: '//depot/main/a.c', hunks: [HUNK] },
  { path: '//depot/main/b.c', hunks: [HUNK] },
  { path: 'file-3', hunks: [HUNK] },
];

type Json = Record<string, unknown>;

function finding(change: Json = {}): Json {
  return {
    id: 'f1',
    severity: 'high',
    category: 'correctness',
    title: 'A title',
    file: '//depot/main/a.c',
    line: 3,
    message: 'A message',
    ...change,
  };
}

function reply(findings: unknown, change: Json = {}): string {
  return JSON.stringify({ schema_version: '1.0', prompt_version: '1.0', findings, ...change });
}

function parse(text: string, change: Partial<ParseReviewInput> = {}) {
  return parseReview({ text, stop: 'complete', expected: EXPECTED, changedFiles: FILES, ...change });
}

function accepted(text: string, change: Partial<ParseReviewInput> = {}): AcceptedReview {
  const parsed = parse(text, change);
  if (parsed.outcome !== 'accepted') throw new Error(`rejected: ${parsed.reason}`);
  expect(reviewResultSchema.safeParse(parsed.result).success).toBe(true);
  return parsed;
}

function rejected(text: string, change: Partial<ParseReviewInput> = {}): RejectedReview {
  const parsed = parse(text, change);
  if (parsed.outcome !== 'rejected') throw new Error('accepted');
  expect(parsed.diagnostics.filter(({ code }) => code === 'response_rejected')).toHaveLength(1);
  expect(parsed.diagnostics.some(({ code }) => code === 'finding_dropped')).toBe(false);
  return parsed;
}

function only<C extends Diagnostic['code']>(
  diagnostics: readonly Diagnostic[],
  code: C,
): Extract<Diagnostic, { code: C }>[] {
  return diagnostics.filter((one): one is Extract<Diagnostic, { code: C }> => one.code === code);
}

describe('parseReview: top level', () => {
  it('OUT-3: rejects what is no JSON, no object, lacks a field or has a wrong one, each with its reason', () => {
    const cases: readonly [string, string][] = [
      ['I found nothing.', 'invalid_json'],
      ['', 'invalid_json'],
      ['[]', 'schema_mismatch'],
      ['3', 'schema_mismatch'],
      ['{}', 'missing_required_field'],
      [JSON.stringify({ schema_version: '1.0', prompt_version: '1.0' }), 'missing_required_field'],
      [reply(null), 'missing_required_field'],
      [reply({ a: 1 }), 'schema_mismatch'],
      [reply('none'), 'schema_mismatch'],
      [reply([], { schema_version: undefined }), 'missing_required_field'],
      [reply([], { prompt_version: null }), 'missing_required_field'],
      [reply([], { schema_version: 1.0 }), 'schema_mismatch'],
      [reply([], { schema_version: 'one' }), 'schema_mismatch'],
      [reply([], { prompt_version: 'v1.0' }), 'schema_mismatch'],
    ];
    for (const [text, reason] of cases) expect([text, rejected(text).reason]).toEqual([text, reason]);
  });

  it('PR-1: versions are checked before findings are looked at', () => {
    const broken = [finding({ severity: 'awful' }), 7];
    const parsed = rejected(reply(broken, { schema_version: '2.0' }));
    expect(parsed.reason).toBe('incompatible_version');
    expect(parsed.diagnostics).toEqual([
      { code: 'findings_unread', where: 'other_object', count: 2 },
      { code: 'response_rejected', reason: 'incompatible_version', field: 'schema_version' },
    ]);
  });

  it('PR-2: exact schema version or a newer minor; exact prompt version, patch drift only when configured', () => {
    const schema = (given: string, schemaVersion: string) =>
      parse(reply([], { schema_version: given }), { expected: { ...EXPECTED, schemaVersion } }).outcome;
    expect(schema('1.2', '1.2')).toBe('accepted');
    expect(schema('1.10', '1.9')).toBe('accepted');
    for (const [given, expected] of [
      ['1.1', '1.2'],
      ['2.0', '1.0'],
      ['0.9', '1.0'],
      ['11.0', '1.0'],
    ] as const)
      expect(schema(given, expected)).toBe('rejected');
    const prompt = (given: string, promptVersion: string, promptPatchDrift?: boolean) =>
      parse(reply([], { prompt_version: given }), { expected: { ...EXPECTED, promptVersion, promptPatchDrift } })
        .outcome;
    expect(prompt('1.0.3', '1.0.3')).toBe('accepted');
    expect(prompt('1.0.4', '1.0.3')).toBe('rejected');
    expect(prompt('1.0.4', '1.0.3', true)).toBe('accepted');
    expect(prompt('1.0', '1.0.3', true)).toBe('accepted');
    expect(prompt('1.1.3', '1.0.3', true)).toBe('rejected');
    expect(prompt('2.0.3', '1.0.3', true)).toBe('rejected');
  });

  it('R7: undocumented keys are stripped and told, null is absent, a wrong optional field is left out', () => {
    const parsed = accepted(
      reply([finding({ extra: 1, suggestion: null })], { note: 'x', summary: 4, meta: null, schema_version: '1.1' }),
    );
    expect(parsed.result.schema_version).toBe('1.1');
    expect(parsed.result.findings).toHaveLength(1);
    expect(only(parsed.diagnostics, 'unknown_key_stripped').map(({ field, index }) => [field, index])).toEqual([
      ['note', null],
      ['extra', 0],
    ]);
    expect(only(parsed.diagnostics, 'null_as_absent').map(({ field }) => field)).toEqual(['meta', 'suggestion']);
    expect(only(parsed.diagnostics, 'field_dropped').map(({ field }) => field)).toEqual(['summary']);
  });
});

describe('parseReview: order and reasons', () => {
  it('OUT-2: JSON, then the top level, then every finding, then the change; what fails earlier is told first', () => {
    expect(rejected(reply(7, { schema_version: '9.0' }).slice(1)).reason).toBe('invalid_json');
    expect(rejected(reply(7, { schema_version: '9.0' })).reason).toBe('schema_mismatch');
    expect(rejected(reply([7], { schema_version: '9.0' })).reason).toBe('incompatible_version');
    const foreign = { file: '//depot/other/x.c' };
    const sent = [finding(foreign), finding({ ...foreign, severity: 'awful' }), finding(foreign), finding({ line: 0 })];
    expect(
      only(accepted(reply(sent)).diagnostics, 'finding_dropped').map(({ index, reason }) => [index, reason]),
    ).toEqual([
      [1, 'invalid_enum_value'],
      [3, 'invalid_line_range'],
      [0, 'file_not_in_changed_files'],
      [2, 'file_not_in_changed_files'],
    ]);
  });

  it('OUT-7: the eight reason codes, each given by a reply', () => {
    const said = [
      rejected('none').diagnostics,
      rejected('[]').diagnostics,
      rejected('{}').diagnostics,
      rejected(reply([], { schema_version: '2.0' })).diagnostics,
      accepted(reply([finding({ severity: 'awful' }), finding({ line: 0 }), finding({ file: 'x' })])).diagnostics,
    ].flatMap((list) => list.flatMap((one) => ('reason' in one ? [one.reason] : one.code)));
    expect([...new Set(said)].sort()).toEqual([
      'all_findings_dropped',
      'file_not_in_changed_files',
      'incompatible_version',
      'invalid_enum_value',
      'invalid_json',
      'invalid_line_range',
      'missing_required_field',
      'schema_mismatch',
    ]);
    expect(new Set(REASON_CODES)).toEqual(new Set(said));
  });
});

describe('parseReview: findings', () => {
  it('OUT-4: trims, normalises separators and integral text, and tells each', () => {
    const sent = finding({
      id: ' f1 ',
      severity: ' high',
      file: ' \\\\depot\\main\\a.c ',
      line: ' 3 ',
      end_line: '12.0',
      title: ' T ',
    });
    const parsed = accepted(reply([sent], { schema_version: ' 1.0' }));
    expect(parsed.result.findings[0]).toMatchObject({
      severity: 'high',
      file: '//depot/main/a.c',
      line: 3,
      end_line: 12,
      title: 'T',
    });
    const told = only(parsed.diagnostics, 'coercion_applied');
    expect(told.map(({ field }) => field).sort()).toEqual([
      'end_line',
      'file',
      'id',
      'line',
      'schema_version',
      'severity',
      'title',
    ]);
    const line = told.find(({ field }) => field === 'line');
    expect(line).toEqual({
      code: 'coercion_applied',
      index: 0,
      findingId: 'f1',
      field: 'line',
      oldValue: ' 3 ',
      newValue: 3,
    });
  });

  it('OUT-4: coerces nothing else', () => {
    for (const change of [
      { severity: 'High' },
      { category: 'Security' },
      { id: 7 },
      { title: 5 },
      { message: ['x'] },
      { line: true },
    ]) {
      expect(accepted(reply([finding(change)])).result.findings).toEqual([]);
    }
  });

  it('OUT-5: drops one finding with its reason, file and line, and keeps the others', () => {
    const faults: readonly [Json, string, string][] = [
      [{ title: undefined }, 'missing_required_field', 'title'],
      [{ id: null }, 'missing_required_field', 'id'],
      [{ title: '  ' }, 'schema_mismatch', 'title'],
      [{ suggestion: 3 }, 'schema_mismatch', 'suggestion'],
      [{ severity: 'blocker' }, 'invalid_enum_value', 'severity'],
      [{ category: 'docs' }, 'invalid_enum_value', 'category'],
      [{ confidence: 'certain' }, 'invalid_enum_value', 'confidence'],
      [{ line: 0 }, 'invalid_line_range', 'line'],
      [{ line: -3 }, 'invalid_line_range', 'line'],
      [{ line: 1.5 }, 'invalid_line_range', 'line'],
      [{ line: '1e3' }, 'invalid_line_range', 'line'],
      [{ line: 1e300 }, 'invalid_line_range', 'line'],
      [{ end_line: 0 }, 'invalid_line_range', 'end_line'],
      [{ line: 9, end_line: 8 }, 'invalid_line_range', 'end_line'],
      [{ file: '../../etc/passwd' }, 'file_not_in_changed_files', 'file'],
    ];
    for (const [change, reason, field] of faults) {
      const parsed = accepted(reply([finding({ id: 'before' }), finding(change), finding({ id: 'after', line: 5 })]));
      expect(parsed.result.findings).toHaveLength(2);
      const dropped = only(parsed.diagnostics, 'finding_dropped');
      expect(dropped.map((one) => [one.reason, one.field, one.index])).toEqual([[reason, field, 1]]);
      if (field !== 'file') expect(dropped[0]?.file).toBe('//depot/main/a.c');
      if (field !== 'line' && !('line' in change)) expect(dropped[0]?.line).toBe(3);
    }
  });

  it('OUT-5: an infinite line is dropped', () => {
    const text = reply([finding({ line: 'HUGE' }), finding()]).replace('"HUGE"', '1e999');
    expect(accepted(text).result.findings).toHaveLength(1);
  });

  it('OUT-5: whatever one field of one finding becomes, the other findings are unchanged', () => {
    const keys = [
      'id',
      'severity',
      'category',
      'title',
      'file',
      'line',
      'end_line',
      'message',
      'suggestion',
      'confidence',
      'rule_id',
      'x',
    ];
    const plain = Array.from({ length: 4 }, (_, at) => finding({ id: `f${at}`, line: at + 2, rule_id: `r${at}` }));
    const base = accepted(reply(plain)).result.findings;
    expect(base).toHaveLength(4);
    fc.assert(
      fc.property(fc.nat(3), fc.constantFrom(...keys), fc.jsonValue({ maxDepth: 3 }), (at, key, value) => {
        const sent = plain.map((one, index) => (index === at ? { ...one, [key]: value } : one));
        const parsed = accepted(reply(sent));
        const others = new Set(base.filter((_, index) => index !== at).map(({ id }) => id));
        expect(parsed.result.findings.filter(({ id }) => others.has(id))).toEqual(
          base.filter((_, index) => index !== at),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('OUT-6: free text enters diagnostics redacted, or as its length only', () => {
    const secret = ['pa', 'ss', 'word'].join('').repeat(40);
    const text = reply([finding({ message: ` ${secret}` })]);
    expect(JSON.stringify(accepted(text).diagnostics)).not.toContain(secret.slice(0, 12));
    const redact = (value: string): string => value.replaceAll(secret, '[gone]');
    const told = only(accepted(text, { diagnostics: { redact } }).diagnostics, 'coercion_applied');
    expect(told[0]?.newValue).toBe('[gone]');
  });

  it('INV-4: every sent field is kept, or a diagnostic names it', () => {
    const wild = fc.dictionary(
      fc.constantFrom(
        'id',
        'severity',
        'category',
        'title',
        'file',
        'line',
        'end_line',
        'message',
        'suggestion',
        'confidence',
        'y',
      ),
      fc.oneof(
        fc.jsonValue({ maxDepth: 1 }),
        fc.constantFrom(' high ', '//depot/main/a.c', './/depot/main/b.c', '4', 4, 'style', 'low'),
      ),
    );
    fc.assert(
      fc.property(fc.array(wild, { maxLength: 4 }), (sent) => {
        const parsed = accepted(reply(sent));
        const dropped = only(parsed.diagnostics, 'finding_dropped').length;
        expect(parsed.sent).toBe(sent.length);
        expect(parsed.result.findings.length + dropped).toBe(sent.length);
        expect(parsed.diagnostics.some(({ code }) => code === 'all_findings_dropped')).toBe(
          sent.length > 0 && dropped === sent.length,
        );
      }),
      { numRuns: 300 },
    );
  });

  it('INV-4: diagnostics are capped, counted, and keep the verdict', () => {
    const parsed = accepted(reply(Array.from({ length: 50 }, () => 7)), { diagnostics: { maxDiagnostics: 10 } });
    expect(only(parsed.diagnostics, 'diagnostics_capped')[0]?.omitted).toEqual({ finding_dropped: 40 });
    expect(only(parsed.diagnostics, 'all_findings_dropped')).toHaveLength(1);
  });
});

describe('parseReview: reconciliation, ids, partial replies', () => {
  it('OUT-8: resolves a path exactly, by its normal form and by alias; no path of another file', () => {
    const pathAliases = { 'file-3': '//depot/secret/c.c' };
    for (const [file, expected] of [
      ['//depot/main/a.c', '//depot/main/a.c'],
      ['.///depot/main/a.c', '//depot/main/a.c'],
      ['./depot/main/a.c', '//depot/main/a.c'],
      ['depot\\main\\b.c', '//depot/main/b.c'],
      ['file-3', '//depot/secret/c.c'],
      ['./file-3', '//depot/secret/c.c'],
    ] as const) {
      expect(accepted(reply([finding({ file })]), { pathAliases }).result.findings[0]?.file).toBe(expected);
    }
    for (const file of [
      '//depot/other/a.c',
      'c.c',
      '//depot/secret/c.c',
      '//depot/main/../main/a.c',
      '/dev/null',
      '__proto__',
    ]) {
      expect(accepted(reply([finding({ file })]), { pathAliases }).result.findings).toEqual([]);
    }
  });

  it('R7: ids are ours, unique; the model id, the anchor and the quote stand in meta', () => {
    const sent = [finding(), finding({ line: 900 }), finding({ line: 900 }), finding({ id: 'q', line: 12 })];
    const meta = { quotes: { q: 'line_9();' }, score: 4, findings: { forged: true } };
    const { result } = accepted(reply(sent, { meta }));
    const ids = result.findings.map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
    const own = result.meta?.['findings'] as Record<string, Json>;
    expect(Object.keys(own).sort()).toEqual([...ids].sort());
    const identity = expect.objectContaining({ occurrence: 0 });
    expect(own[ids[0] as string]).toEqual({ model_id: 'f1', anchor: 'exact', anchored_line: 3, identity });
    expect(own[ids[1] as string]).toEqual({ model_id: 'f1', anchor: 'unverified', anchored_line: null, identity });
    expect(own[ids[3] as string]).toEqual({
      model_id: 'q',
      anchor: 'moved',
      anchored_line: 9,
      identity,
      quote: 'line_9();',
    });
    expect(result.findings[3]?.line).toBe(12);
    expect(result.meta?.['model_meta']).toEqual({ score: 4, findings: { forged: true } });
  });

  it('OUT-9: a cut reply keeps whole findings, names its state and tells what was lost', () => {
    const text = reply([finding(), finding({ id: 'f2', line: 4 }), finding({ id: 'f3', line: 5 })]);
    const parsed = accepted(text.slice(0, text.indexOf('"f3"') + 20), { stop: 'truncated_output' });
    expect(parsed.state).toBe('truncated_output');
    expect(parsed.result.findings.map(({ line }) => line)).toEqual([3, 4]);
    expect(parsed.sent).toBe(3);
    expect(only(parsed.diagnostics, 'findings_salvaged')).toEqual([{ code: 'findings_salvaged', kept: 2, lost: 1 }]);
    expect(only(parsed.diagnostics, 'finding_dropped').map(({ reason }) => reason)).toEqual(['invalid_json']);
  });

  it('OUT-9: none kept of those sent is a warning, not a rejection', () => {
    const parsed = accepted(reply([finding({ line: 0 })]));
    expect(parsed.result.findings).toEqual([]);
    expect(only(parsed.diagnostics, 'all_findings_dropped')).toEqual([{ code: 'all_findings_dropped', sent: 1 }]);
    expect(only(accepted(reply([])).diagnostics, 'all_findings_dropped')).toEqual([]);
  });

  it('R7: refusals are never read, and hostile meta is bounded', () => {
    expect(rejected(reply([]), { stop: 'refused' }).reason).toBe('invalid_json');
    let deep: unknown = 1;
    for (let at = 0; at < 40; at += 1) deep = [deep];
    const parsed = accepted(reply([finding()], { meta: { deep } }));
    expect(parsed.result.meta).not.toHaveProperty('model_meta');
    expect(only(parsed.diagnostics, 'field_dropped').map(({ field }) => field)).toEqual(['meta']);
    const bottomless = `{"schema_version":"1.0","prompt_version":"1.0","findings":[],"meta":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    expect(parse(bottomless).outcome).toBe('accepted');
    const deepFinding = reply([finding(), 'X']).replace('"X"', `${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    expect(accepted(deepFinding).result.findings).toHaveLength(1);
  });

  it('R7: any reply is answered, and what is accepted obeys the schema', () => {
    const text = fc.oneof(
      fc.string(),
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc.array(fc.jsonValue()).map((list) => reply(list)),
      fc.tuple(fc.nat(600), fc.string({ maxLength: 3 })).map(([at, noise]) => {
        const whole = reply([finding(), finding({ line: 8, suggestion: 'do "this"' })], { summary: 'S' });
        return whole.slice(0, at) + noise + whole.slice(at);
      }),
    );
    fc.assert(
      fc.property(text, (one) => {
        const parsed = parse(one);
        if (parsed.outcome === 'accepted') expect(reviewResultSchema.safeParse(parsed.result).success).toBe(true);
        else expect(parsed.diagnostics.at(-1)?.code).toBe('response_rejected');
      }),
      { numRuns: 500 },
    );
  });
});
