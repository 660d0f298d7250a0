import { describe, expect, it } from 'vitest';
import type { Coverage } from '../merge/coverage.js';
import { mergeReviews } from '../merge/merge-reviews.js';
import { parseReview } from '../read/parse-review.js';
import { applyVerdicts } from './apply-verdicts.js';
import type { CheckOutcome } from './read-verdicts.js';

const file = '//d/a.c';
const lines = Array.from({ length: 40 }, (_, at) => `+call_${at + 1}();`);
const versions = { schemaVersion: '1.0', promptVersion: '1.0' };
const coverage: Coverage = {
  files: [{ path: file, state: 'reviewed_full', hunks: 1 }],
  totals: { files: 1, reviewed_full: 1, reviewed_partial: 0, skipped: 0 },
  denied_files: 0,
  visibility: 'complete',
  complete: true,
};

/** A merged review of two replies; the second is the first in the merged order. */
function merge(severities: readonly string[]) {
  const replies = severities.map((severity, at) => {
    const finding = {
      ...{ id: 'f', severity, category: 'security', title: `Finding ${at}`, file, line: 19 * at + 1 },
      message: `It is ${severity}.`,
    };
    return parseReview({
      text: JSON.stringify({ schema_version: '1.0', prompt_version: '1.0', findings: [finding] }),
      stop: 'complete',
      expected: versions,
      changedFiles: [{ path: file, hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 40, lines }] }],
    });
  });
  return mergeReviews({ replies, coverage, versions });
}

function check(severities: readonly string[], byTitle: Readonly<Record<string, CheckOutcome>>) {
  const merged = merge(severities);
  const outcomes = new Map(
    merged.findings.flatMap(({ id, title }) => {
      const outcome = byTitle[title];
      return outcome === undefined ? [] : [[id, outcome] as const];
    }),
  );
  return { before: merged, ...applyVerdicts(merged, outcomes, '1.0') };
}

describe('applyVerdicts', () => {
  it('GRD-5 INV-4: lowers the effective severity alone, sorts anew, and says so in findings, meta and diagnostics', () => {
    const lower = { verdict: 'lower', severity: 'low', reason: 'Tests only.' } as const;
    const { merged, summary, before } = check(['high', 'critical', 'high'], {
      'Finding 1': lower,
      'Finding 0': { verdict: 'keep', reason: 'True.' },
    });
    expect(before.findings.map(({ title }) => title)).toEqual(['Finding 1', 'Finding 0', 'Finding 2']);
    expect(merged.findings).toMatchObject([
      { title: 'Finding 0', severity: 'high', check: { verdict: 'keep', reason: 'True.' } },
      { title: 'Finding 2', severity: 'high' },
      {
        title: 'Finding 1',
        severity: 'low',
        model: { severity: 'critical' },
        check: { verdict: 'lower', reason: 'Tests only.' },
      },
    ]);
    expect(merged.findings[1]).not.toHaveProperty('check');
    expect(merged.result.findings.map(({ title, severity }) => [title, severity])).toEqual([
      ['Finding 0', 'high'],
      ['Finding 2', 'high'],
      ['Finding 1', 'critical'],
    ]);
    expect(merged.sources).toEqual([0, 2, 1]);
    const id = merged.findings[2]?.id ?? '';
    expect(merged.result.meta?.['findings']).toMatchObject({
      [id]: { effective_severity: 'low', check: { verdict: 'lower', reason: 'Tests only.' } },
    });
    expect(merged.diagnostics).toEqual([
      { code: 'severity_lowered', index: null, findingId: id, from: 'critical', to: 'low', reason: 'check' },
    ]);
    expect(summary).toEqual({ version: '1.0', kept: 1, lowered: 1, dropped: 0, notChecked: 0 });
    expect(merged.state).toEqual(before.state);
  });

  it('GRD-5: what is dropped is kept apart with its reason, and the rest stays', () => {
    const { merged, dropped, summary } = check(['high', 'critical'], {
      'Finding 1': { verdict: 'drop', reason: 'Line 3 checks it.' },
      'Finding 0': { verdict: null, because: 'unanswered', failure: null },
    });
    expect(merged.findings.map(({ title }) => title)).toEqual(['Finding 0']);
    expect(dropped).toMatchObject([
      { title: 'Finding 1', severity: 'critical', check: { verdict: 'drop', reason: 'Line 3 checks it.' } },
    ]);
    expect(merged.state.verdict).toBe('findings');
    expect(merged.diagnostics).toEqual([
      { code: 'finding_dropped_by_check', index: null, findingId: dropped[0]?.id, severity: 'critical' },
      {
        code: 'finding_not_checked',
        index: null,
        findingId: merged.findings[0]?.id,
        reason: 'unanswered',
        failure: null,
      },
    ]);
    expect(summary).toMatchObject({ dropped: 1, notChecked: 1 });
    expect(merged.result.meta?.['check']).toEqual({ version: '1.0', kept: 0, lowered: 0, dropped: 1, not_checked: 1 });
  });

  it('GRD-5 OUT-9: a review whose findings were all dropped is never clean', () => {
    const { merged, dropped } = check(['high'], { 'Finding 0': { verdict: 'drop', reason: 'No.' } });
    expect(dropped).toHaveLength(1);
    expect(merged.findings).toEqual([]);
    expect(merged.state).toEqual({ verdict: 'inconclusive', doubts: [] });
    expect(merged.result.meta?.['review_state']).toEqual({ verdict: 'inconclusive', doubts: [] });
  });
});
