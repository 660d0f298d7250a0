import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseReview } from '../read/parse-review.js';
import { compareSeverity, type Finding, SEVERITIES, type Severity } from '../review-result.js';
import { placeFinding, placeFindings } from './place-findings.js';

const lines = [...Array.from({ length: 20 }, (_, at) => `+call_${at + 100}();`), '+again();', '+again();'];
const CODE = '//d/a.c';
const DELETED = '//d/gone.c';
const WHOLE = '//d/whole.c';
/** Of 200 lines, `call_N();` each, the last two alike; the diff shows lines 100 to 121. */
const wholeText = [
  ...Array.from({ length: 198 }, (_, at) => (at < 99 || at > 120 ? `other_${at + 1}();\r` : '')),
  'spare();',
  'spare();',
].join('\n');
const files = [
  { path: CODE, hunks: [{ oldStart: 0, oldLines: 0, newStart: 100, newLines: lines.length, lines }] },
  { path: DELETED, hunks: [] },
  {
    path: WHOLE,
    hunks: [{ oldStart: 0, oldLines: 0, newStart: 100, newLines: lines.length, lines }],
    newText: wholeText,
  },
];
const versions = { schemaVersion: '1.0', promptVersion: '1.0' };

/** How a reply with this one finding is placed. */
function place(sent: Partial<Finding>, quote?: string) {
  const finding = {
    id: 'm1',
    severity: 'critical',
    category: 'security',
    title: 'T',
    file: CODE,
    line: 100,
    message: 'M',
    ...sent,
  };
  const meta = quote === undefined ? {} : { meta: { quotes: { m1: quote } } };
  const text = JSON.stringify({ schema_version: '1.0', prompt_version: '1.0', findings: [finding], ...meta });
  const reply = parseReview({ text, stop: 'complete', expected: versions, changedFiles: files });
  const [placed] = reply.outcome === 'accepted' ? placeFindings(reply.result) : [];
  return placed;
}

describe('placing findings', () => {
  it('GRD-2: the quote decides the line; the end moves with it', () => {
    expect(place({ line: 2, end_line: 5 }, 'call_101();')).toMatchObject({
      severity: 'critical',
      place: { line: 101, endLine: 104, status: 'moved' },
      model: { severity: 'critical', line: 2, endLine: 5 },
    });
    expect(place({ line: 4_000, end_line: 4_003 }, 'call_101();')?.place).toEqual({
      line: 101,
      endLine: 104,
      status: 'moved',
    });
    // Moved, the range would end beyond the last line that was shown.
    expect(place({ line: 100, end_line: 110 }, 'call_119();')?.place).toEqual({
      line: 119,
      endLine: null,
      status: 'moved',
    });
    expect(place({ line: 103, end_line: 105 }, 'call_103();')?.place).toEqual({
      line: 103,
      endLine: 105,
      status: 'exact',
    });
    expect(place({ line: 103, end_line: 103 })?.place).toEqual({ line: 103, endLine: null, status: 'exact' });
  });

  it.each<[string, Partial<Finding>, string | undefined]>([
    ['a line outside the diff without a quote', { line: 4_000 }, undefined],
    ['a line outside the diff with a quote that says nothing', { line: 4_000 }, '}'],
    ['a quote that stands nowhere', { line: 101 }, 'launchRockets();'],
    ['a file without a diff', { file: DELETED, line: 3 }, undefined],
  ])('GRD-2: %s is unverified: no line, at most medium', (_name, sent, quote) => {
    expect(place(sent, quote)).toMatchObject({
      severity: 'medium',
      place: { line: null, endLine: null, status: 'unverified' },
      model: { severity: 'critical', line: sent.line },
    });
    expect(place({ ...sent, severity: 'low' }, quote)?.severity).toBe('low');
  });

  it('GRD-2 GRD-3: a quote in the file outside the diff confirms its line, and the severity stays', () => {
    const outside = (sent: Partial<Finding>, quote?: string) => place({ file: WHOLE, ...sent }, quote);
    expect(outside({ line: 7, end_line: 9 }, 'other_7();')).toMatchObject({
      severity: 'critical',
      place: { line: 7, endLine: 9, status: 'exact' },
    });
    expect(outside({ line: 101 }, 'other_150();')).toMatchObject({
      severity: 'critical',
      place: { line: 150, endLine: null, status: 'moved' },
    });
    expect(outside({ line: 20 }, 'spare();')?.place).toEqual({ line: null, endLine: null, status: 'file' });
    // The hunks come first, and a line outside them needs its quote.
    expect(outside({ line: 7 }, 'call_101();')?.place).toMatchObject({ line: 101, status: 'moved' });
    for (const quote of [undefined, '}', 'launchRockets();'])
      expect(outside({ line: 7 }, quote)).toMatchObject({ severity: 'medium', place: { status: 'unverified' } });
    // GRD-3: a line outside the diff is unchanged code.
    expect(outside({ line: 7 }, 'other_7();')?.place.on).toBe('context');
    expect(outside({ line: 101 }, 'call_101();')?.place.on).toBeUndefined();
    // Its identity is of that line.
    expect(outside({ line: 7 }, 'other_7();')?.id).toBe(outside({ line: 9 }, 'other_7();')?.id);
  });

  it('GRD-2: "file" without a usable quote is unverified', () => {
    const sent: Finding = {
      id: 'f',
      severity: 'high',
      category: 'style',
      title: 'T',
      file: 'f',
      line: 7,
      message: 'M',
    };
    const statusOf = (quote: object) =>
      placeFinding(sent, { anchor: 'file', anchored_line: null, ...quote }).place.status;
    expect([statusOf({}), statusOf({ quote: '12 }' }), statusOf({ quote: 'again();' })]).toEqual([
      'unverified',
      'unverified',
      'file',
    ]);
  });

  it('GRD-2: a quote that stands on two lines names the file, and the severity stays', () => {
    expect(place({ line: 4_000 }, 'again();')).toMatchObject({
      severity: 'critical',
      place: { line: null, endLine: null, status: 'file' },
    });
  });

  it('GRD-2: the effective severity is never above the model’s, whatever meta says, and never above medium unverified', () => {
    const severity = fc.constantFrom(...SEVERITIES);
    const anything = fc.oneof(severity, fc.jsonValue());
    const entry = fc.record({
      anchor: fc.oneof(fc.constantFrom('exact', 'moved', 'file', 'unverified'), fc.jsonValue()),
    });
    const more = fc.record({
      anchored_line: fc.oneof(fc.integer(), fc.jsonValue()),
      effective_severity: anything,
      quote: fc.jsonValue(),
    });
    fc.assert(
      fc.property(
        severity,
        fc.oneof(
          fc.jsonValue(),
          fc.tuple(entry, more).map(([a, b]) => ({ ...a, ...b })),
        ),
        (sent, raw) => {
          const finding: Finding = {
            id: 'f',
            severity: sent,
            category: 'style',
            title: 'T',
            file: 'f',
            line: 7,
            end_line: 9,
            message: 'M',
          };
          const placed = placeFinding(finding, JSON.parse(JSON.stringify(raw)));
          const isAtMost = (limit: Severity) => compareSeverity(placed.severity, limit) >= 0;
          expect(isAtMost(sent)).toBe(true);
          if (placed.place.status === 'unverified') expect(isAtMost('medium')).toBe(true);
          const hasLine = placed.place.status === 'exact' || placed.place.status === 'moved';
          expect(placed.place.line !== null).toBe(hasLine);
          if (placed.place.endLine !== null)
            expect(placed.place.endLine).toBeGreaterThan(placed.place.line ?? Number.NaN);
        },
      ),
    );
  });

  it('GRD-2: orders by the effective severity', () => {
    const one = (id: string, severity: Severity): Finding => ({
      id,
      severity,
      category: 'style',
      title: 'T',
      file: 'f',
      line: 1,
      message: 'M',
    });
    const exact = { anchor: 'exact', anchored_line: 1 };
    const meta = { findings: { a: { anchor: 'unverified', anchored_line: null }, b: exact, c: exact } };
    const placed = placeFindings({ findings: [one('a', 'critical'), one('b', 'high'), one('c', 'low')], meta });
    expect(placed.map(({ id, severity }) => [id, severity])).toEqual([
      ['b', 'high'],
      ['a', 'medium'],
      ['c', 'low'],
    ]);
  });
});
