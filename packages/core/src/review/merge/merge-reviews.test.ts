import { describe, expect, it } from 'vitest';
import type { StopState } from '../../llm/llm-provider.js';
import { type ParsedReview, parseReview } from '../read/parse-review.js';
import { type Finding, reviewResultSchema, type Severity } from '../review-result.js';
import { type Coverage, coverChange } from './coverage.js';
import { mergeReviews } from './merge-reviews.js';
import { placeFindings } from './place-findings.js';
import { decideReviewState } from './review-state.js';

const FILES = ['//d/a.c', '//d/b.c'].map((path) => ({
  path,
  skipped: null,
  hunks: [
    {
      oldStart: 0,
      oldLines: 0,
      newStart: 1,
      newLines: 60,
      lines: Array.from({ length: 60 }, (_, at) => `+call_${at}();`),
    },
  ],
}));
const VERSIONS = { schemaVersion: '1.0', promptVersion: '1.0' };
const WORDS = 'the buffer is freed twice when the second open call fails after the first retry';

function coverage(outcome: 'read' | 'cut' | 'failed' = 'read'): Coverage {
  const files = [0, 1].map((file) => ({ file, hunks: [0] }));
  return coverChange({ files: FILES, visibility: 'complete', deniedFiles: 0 }, [{ outcome, files }]);
}

function found(line: number, change: Partial<Finding> = {}): Finding {
  return {
    id: `m${line}`,
    severity: 'medium',
    category: 'correctness',
    title: `Title ${line}`,
    file: '//d/a.c',
    line,
    message: 'Short.',
    ...change,
  };
}

function reply(findings: readonly unknown[], stop: StopState = 'complete', extra: object = {}): ParsedReview {
  const text = JSON.stringify({ schema_version: '1.0', prompt_version: '1.0', findings, ...extra });
  return parseReview({ text, stop, expected: VERSIONS, changedFiles: FILES });
}

const rejected = parseReview({ text: 'no', stop: 'complete', expected: VERSIONS, changedFiles: FILES });

describe('review state', () => {
  it('OUT-9: clean only if every reply is whole, none sent a finding and every file was reviewed', () => {
    expect(decideReviewState([reply([]), reply([])], coverage(), 0)).toEqual({ verdict: 'no_findings', doubts: [] });
  });

  it('OUT-9: nothing else without findings is clean, and the doubt is named', () => {
    const twice = '{"schema_version":"1.0","prompt_version":"1.0","findings":[]}';
    const shown = { text: `${twice} ${twice.replace('[]', '[{"id":"x"}]')}`, expected: VERSIONS, changedFiles: FILES };
    const cases: readonly [readonly ParsedReview[], Coverage, string][] = [
      [[], coverage(), 'no_reply'],
      [[rejected], coverage(), 'reply_rejected'],
      [[reply([]), rejected], coverage(), 'reply_rejected'],
      [[reply([], 'truncated_output')], coverage(), 'reply_cut'],
      [[reply([], 'content_filtered')], coverage(), 'reply_cut'],
      [[reply([found(0)])], coverage(), 'all_findings_dropped'],
      [[reply([])], coverage('cut'), 'coverage_incomplete'],
      [[reply([])], coverage('failed'), 'coverage_incomplete'],
      [[parseReview({ ...shown, stop: 'complete' })], coverage(), 'ambiguous_reply'],
    ];
    for (const [replies, covered, doubt] of cases) {
      const state = decideReviewState(replies, covered, 0);
      expect(state.verdict).toBe('inconclusive');
      expect(state.doubts).toContain(doubt);
    }
  });

  it('OUT-9: findings with doubts keep both', () => {
    const state = decideReviewState([reply([found(3), found(0)]), rejected], coverage(), 1);
    expect(state).toEqual({ verdict: 'findings', doubts: ['findings_dropped', 'reply_rejected'] });
  });
});

describe('merging reviews', () => {
  it('orders by severity, confidence, file and line, whatever the order of replies', () => {
    const list = [
      found(9, { severity: 'low' }),
      found(20, { severity: 'critical', confidence: 'low' }),
      found(30, { severity: 'critical', confidence: 'high' }),
      found(40, { severity: 'critical', file: '//d/b.c' }),
      found(50, { severity: 'critical' }),
    ];
    const merged = mergeReviews({
      replies: [reply(list.slice(0, 2)), reply(list.slice(2))],
      coverage: coverage(),
      versions: VERSIONS,
    });
    const other = mergeReviews({
      replies: [reply(list.slice(2)), reply(list.slice(0, 2))],
      coverage: coverage(),
      versions: VERSIONS,
    });
    expect(merged.result.findings.map(({ line }) => line)).toEqual([30, 50, 40, 20, 9]);
    expect(other.result.findings).toEqual(merged.result.findings);
    expect(reviewResultSchema.safeParse(merged.result).success).toBe(true);
  });

  it('joins what two replies say about one place in like words; keeps what one reply lists apart', () => {
    const first = found(10, { severity: 'low', message: WORDS });
    const second = found(12, {
      severity: 'high',
      category: 'reliability',
      title: 'Other',
      message: `${WORDS}, so the process ends`,
    });
    const merged = mergeReviews({
      replies: [reply([first]), reply([second])],
      coverage: coverage(),
      versions: VERSIONS,
    });
    expect(merged.joined).toBe(1);
    expect(merged.result.findings).toHaveLength(1);
    expect(merged.result.findings[0]).toMatchObject({ severity: 'high', line: 12 });
    for (const [a, b] of [
      [first, { ...second, line: 30 }],
      [first, { ...second, file: '//d/b.c' }],
      [first, { ...second, message: 'A quite different remark on naming of local variables in here.' }],
    ] as const)
      expect(mergeReviews({ replies: [reply([a]), reply([b])], coverage: coverage(), versions: VERSIONS }).joined).toBe(
        0,
      );
    expect(mergeReviews({ replies: [reply([first, second])], coverage: coverage(), versions: VERSIONS }).joined).toBe(
      0,
    );
  });

  it('drops the least grave beyond the bound and counts them', () => {
    const list = (['info', 'high', 'low', 'high'] as Severity[]).map((severity, at) =>
      found(at * 10 + 1, { severity }),
    );
    const merged = mergeReviews({ replies: [reply(list)], coverage: coverage(), versions: VERSIONS, maxKept: 2 });
    expect(merged.result.findings.map(({ severity }) => severity)).toEqual(['high', 'high']);
    expect(merged.withheld).toEqual({ critical: 0, high: 0, medium: 0, low: 1, info: 1 });
    expect(merged.result.meta?.['withheld']).toEqual(merged.withheld);
    expect(Object.keys(merged.result.meta?.['findings'] as object).sort()).toEqual(
      merged.result.findings.map(({ id }) => id).sort(),
    );
    expect(() => mergeReviews({ replies: [], coverage: coverage(), versions: VERSIONS, maxKept: 0 })).toThrow(
      TypeError,
    );
  });

  it('INT-3: keeps every finding up to the bound on what is stored', () => {
    const list = Array.from({ length: 60 }, (_, at) => found(at + 1));
    expect(
      mergeReviews({ replies: [reply(list)], coverage: coverage(), versions: VERSIONS }).result.findings,
    ).toHaveLength(60);
  });

  it('GRD-2: orders by the effective severity and keeps the model’s beside it, with a diagnostic', () => {
    const list = [
      found(9_000, { severity: 'critical' }),
      found(5, { severity: 'high' }),
      found(7, { severity: 'low' }),
    ];
    const { result, diagnostics } = mergeReviews({ replies: [reply(list)], coverage: coverage(), versions: VERSIONS });
    expect(result.findings.map(({ severity }) => severity)).toEqual(['high', 'critical', 'low']);
    const id = result.findings[1]?.id ?? '';
    expect(result.meta?.['findings']).toMatchObject({
      [id]: { anchor: expect.any(String), effective_severity: 'medium' },
    });
    expect(diagnostics).toEqual([
      {
        code: 'severity_lowered',
        index: null,
        findingId: id,
        from: 'critical',
        to: 'medium',
        reason: 'place_unverified',
      },
    ]);
  });

  it('GRD-2: of two findings about one issue the better placed one stands; lines are compared where they were resolved', () => {
    const claimed = found(12, {
      id: 'claimed',
      severity: 'critical',
      title: 'One',
      message: `${WORDS}, at some length`,
    });
    const quoted = { ...found(2, { id: 'quoted', severity: 'low', title: 'One', message: WORDS }) };
    const { result } = mergeReviews({
      replies: [
        reply([claimed], 'complete', { meta: { quotes: { claimed: 'nowhere();' } } }),
        reply([quoted], 'complete', { meta: { quotes: { quoted: 'call_11();' } } }),
      ],
      coverage: coverage(),
      versions: VERSIONS,
    });
    expect(placeFindings(result)).toMatchObject([
      { severity: 'medium', place: { line: 12, status: 'moved' }, model: { line: 2 } },
    ]);
  });

  it('keeps two findings apart where chunks gave one id to two places', () => {
    const chunk = (newStart: number) => [
      {
        ...FILES[0],
        path: '//d/a.c',
        hunks: [{ oldStart: 0, oldLines: 0, newStart, newLines: 1, lines: ['+same();'] }],
      },
    ];
    const replies = [10, 500].map((line) => {
      const text = JSON.stringify({
        schema_version: '1.0',
        prompt_version: '1.0',
        findings: [found(line, { title: 'Same', message: WORDS })],
      });
      return parseReview({ text, stop: 'complete', expected: VERSIONS, changedFiles: chunk(line) });
    });
    const { result, joined } = mergeReviews({ replies, coverage: coverage(), versions: VERSIONS });
    expect(joined).toBe(0);
    expect(placeFindings(result).map(({ place }) => place.line)).toEqual([10, 500]);
    expect(new Set(result.findings.map(({ id }) => id)).size).toBe(2);
  });

  it('OUT-9: carries coverage and state in meta, and no usable reply is inconclusive', () => {
    const merged = mergeReviews({ replies: [rejected], coverage: coverage('failed'), versions: VERSIONS });
    expect(merged.result).toMatchObject({ schema_version: '1.0', prompt_version: '1.0', findings: [] });
    expect(merged.state.verdict).toBe('inconclusive');
    expect(merged.result.meta?.['coverage']).toEqual(coverage('failed'));
    expect(merged.result.meta?.['review_state']).toEqual(merged.state);
    const clean = mergeReviews({
      replies: [reply([], 'complete', { summary: 'S' }), reply([])],
      coverage: coverage(),
      versions: VERSIONS,
    });
    expect(clean.state.verdict).toBe('no_findings');
    expect(clean.result.summary).toBe('S');
  });
});
