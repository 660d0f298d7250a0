import type { Job } from '@criticizer/core';
import { describe, expect, it } from 'vitest';
import { describeReviewEnd, reviewEnd } from './review-end.js';

const job = (facts: Partial<Job>): Job => ({ status: 'completed', result: null, lastFailure: null, ...facts }) as Job;
const counts = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
const reviewed = (more: object) =>
  reviewEnd(
    job({
      result: { verdict: 'findings', findings: counts, filesReviewed: 3, filesSkipped: 1, secretsWithheld: 0, ...more },
    }),
  );

describe('reviewEnd', () => {
  it('waits for a job under way', () => {
    expect([job({ status: 'queued' }), job({ status: 'running' })].map(reviewEnd)).toEqual([null, null]);
  });

  it.each([
    [
      reviewed({ findings: { ...counts, critical: 1, low: 12 } }),
      ['Findings: 1 critical, 12 low', 'Files: 3 reviewed, 1 not'],
    ],
    [reviewed({ verdict: 'no_findings', filesSkipped: 0 }), ['No findings', 'Files: 3 reviewed, 0 not']],
    [
      reviewed({ verdict: 'inconclusive' }),
      ['Nothing to show, and not all of it was reviewed', 'Files: 3 reviewed, 1 not'],
    ],
    [
      reviewed({ verdict: 'inconclusive', findingsDroppedByCheck: 2 }),
      ['2 findings dropped by the check, none left to show', 'Files: 3 reviewed, 1 not'],
    ],
    [
      reviewed({ findingsBelowFloor: 3, severityFloor: 'medium' }),
      ['3 findings below medium', 'Files: 3 reviewed, 1 not'],
    ],
    [reviewed({ findingsBelowFloor: 1, severityFloor: 'low' }), ['1 finding below low', 'Files: 3 reviewed, 1 not']],
    [reviewed({}), ['All findings are below the severity floor', 'Files: 3 reviewed, 1 not']],
    [reviewEnd(job({ result: { skipped: 'binary_only', detail: 'x' } })), ['Not reviewed: binary_only']],
    [reviewEnd(job({ result: { other: true } })), ['The review failed: unreadable']],
    [
      reviewEnd(job({ status: 'failed', lastFailure: { code: 'P4_TIMEOUT', category: 'network', message: '' } })),
      ['The review failed: P4_TIMEOUT'],
    ],
    [reviewEnd(job({ status: 'failed', result: { cancelled: true, reason: 'x' } })), ['The review failed: cancelled']],
    [{ kind: 'pending' } as const, ['Not reviewed yet']],
    [reviewEnd(null), ['The review failed: gone']],
  ])('says how it ended (%#)', (end, says) => {
    expect(end === null ? null : describeReviewEnd(end)).toEqual(says);
  });
});

describe('describeReviewEnd', () => {
  it('never says "no findings" of anything but a clean review (OUT-9), and keeps to 80 characters', () => {
    const most = Object.fromEntries(Object.keys(counts).map((severity) => [severity, 99_999]));
    for (const verdict of ['findings', 'inconclusive'])
      for (const findings of [counts, most]) {
        const end = reviewed({ verdict, findings });
        const says = end === null ? [] : describeReviewEnd(end);
        expect(says.join('\n')).not.toMatch(/no findings/i);
        expect(Math.max(...says.map(({ length }) => length))).toBeLessThanOrEqual(80);
      }
  });
});
