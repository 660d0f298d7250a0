import { describe, expect, it } from 'vitest';
import { coverChange } from '../review/coverage.js';
import { mergeReviews } from '../review/merge-reviews.js';
import { parseReview } from '../review/parse-review.js';
import type { Severity } from '../review/review-result.js';
import { resolveSettings } from '../settings.js';
import { mailContentOf, type StoredReview, saysNothing } from './stored-review.js';

const hunk = { oldStart: 0, oldLines: 0, newStart: 1, newLines: 9, lines: Array.from({ length: 9 }, (_, at) => `+call_${at}();`) };
const file = { path: '//depot/a.c', skipped: null, hunks: [hunk] };
const versions = { schemaVersion: '1.0', promptVersion: '1.0' };

/** What the llm stage stores for these findings, one a line. */
function reviewOf(severities: readonly Severity[], options: { maxFindings?: number; cut?: boolean } = {}): StoredReview {
  const findings = severities.map((severity, at) => ({
    id: `f${at}`,
    severity,
    category: 'correctness',
    title: `Call ${at} is wrong in a way of its own`,
    file: file.path,
    line: at + 1,
    message: `Reason ${at}`,
  }));
  const text = JSON.stringify({ schema_version: '1.0', prompt_version: '1.0', findings });
  const reply = parseReview({ text, stop: 'complete', expected: versions, changedFiles: [file] });
  const chunk = { files: [{ file: 0, hunks: [0] }], outcome: options.cut === true ? 'cut' : 'read' } as const;
  const coverage = coverChange({ files: [file], visibility: 'complete', deniedFiles: 0 }, [chunk]);
  const { result, state, withheld } = mergeReviews({ replies: [reply], coverage, versions, maxFindings: options.maxFindings });
  return {
    format: 1,
    hiddenPaths: [],
    change: { serverId: 'main', number: 1, changelistId: 'main/1', user: 'ada', description: 'd', kind: 'submitted' },
    result,
    coverage,
    state,
    secretsWithheld: 0,
    findingsWithheld: withheld,
    diagnostics: [],
    reviewers: [],
  };
}

const settings = (severityFloor: Severity) => resolveSettings({ review: { severityFloor } }).review;
const severitiesOf = (review: StoredReview, floor: Severity) =>
  mailContentOf(review, settings(floor), 1).result.findings.map(({ severity }) => severity);

describe('what a mail says of a review', () => {
  it('INT-3: shows findings from the floor on, and counts those below it in a warning', () => {
    const review = reviewOf(['info', 'critical', 'medium', 'low']);
    expect(severitiesOf(review, 'info')).toEqual(['critical', 'medium', 'low', 'info']);
    expect(mailContentOf(review, settings('info'), 1).warnings).toEqual([]);
    expect(severitiesOf(review, 'medium')).toEqual(['critical', 'medium']);
    expect(mailContentOf(review, settings('medium'), 1).warnings).toHaveLength(1);
  });

  it('INT-3: shows at most as many as set, the gravest, and counts the rest', () => {
    const review = reviewOf(['low', 'high', 'critical'], { maxFindings: 2 });
    expect(severitiesOf(review, 'info')).toEqual(['critical', 'high']);
    expect(review.findingsWithheld).toMatchObject({ low: 1 });
    expect(mailContentOf(review, settings('info'), 1).warnings).toHaveLength(1);
  });

  it('INT-3 OUT-9: there is nothing to say only of a whole review with nothing to show', () => {
    expect(saysNothing(reviewOf([]), settings('info'))).toBe(true);
    expect(saysNothing(reviewOf(['info']), settings('low'))).toBe(true);
    expect(saysNothing(reviewOf(['low']), settings('low'))).toBe(false);
    expect(saysNothing(reviewOf([], { cut: true }), settings('info'))).toBe(false);
    expect(mailContentOf(reviewOf([], { cut: true }), settings('info'), 1).conclusive).toBe(false);
  });
});
