import type { Job, Severity } from '@criticizer/core/ports';
import { z } from 'zod';

/** How a review ended, in counts and codes: nothing of the change or the model. */
export type ReviewEnd =
  | {
      kind: 'reviewed';
      /** `no_findings` alone means clean: `inconclusive` has nothing to show, and not everything was reviewed. */
      verdict: 'findings' | 'no_findings' | 'inconclusive';
      /** At or above the mail's severity floor, by effective severity. */
      findings: Readonly<Record<Severity, number>>;
      findingsBelowFloor: number;
      /** Findings that the check pass dropped. */
      findingsDroppedByCheck: number;
      /** null: a review of an earlier version, which did not store it. */
      severityFloor: Severity | null;
      filesReviewed: number;
      filesSkipped: number;
    }
  /** The review has not ended after 15 minutes; its end is reported when it comes. */
  | { kind: 'pending' }
  /** Not reviewed, for a stored skip reason, or `out-of-scope` or `not-found`. */
  | { kind: 'skipped'; reason: string }
  /** The code of its dead letter; `cancelled`, `unreadable`, or `gone` where its row is no longer stored. */
  | { kind: 'failed'; code: string };

const count = z.int().min(0);
const reviewedSchema = z.object({
  verdict: z.enum(['findings', 'no_findings', 'inconclusive']),
  findings: z.object({ critical: count, high: count, medium: count, low: count, info: count }),
  findingsBelowFloor: count.default(0),
  findingsDroppedByCheck: count.default(0),
  severityFloor: z.enum(['critical', 'high', 'medium', 'low', 'info']).nullable().default(null),
  filesReviewed: count,
  filesSkipped: count,
});
const skippedSchema = z.object({ skipped: z.string() });

/** Null while the job is under way. */
export function reviewEnd(job: Job | null): ReviewEnd | null {
  if (job === null) return { kind: 'failed', code: 'gone' };
  if (job.status === 'failed') return { kind: 'failed', code: job.lastFailure?.code ?? 'cancelled' };
  if (job.status !== 'completed') return null;
  const reviewed = reviewedSchema.safeParse(job.result);
  if (reviewed.success) return { kind: 'reviewed', ...reviewed.data };
  const skipped = skippedSchema.safeParse(job.result);
  return skipped.success ? { kind: 'skipped', reason: skipped.data.skipped } : { kind: 'failed', code: 'unreadable' };
}

/** What to say where nothing reaches the severity floor. "No findings" is for a clean review alone (OUT-9). */
function describeNothingShown({
  verdict,
  findingsBelowFloor: below,
  findingsDroppedByCheck: dropped,
  severityFloor,
}: Extract<ReviewEnd, { kind: 'reviewed' }>): string {
  if (verdict === 'no_findings') return 'No findings';
  if (verdict === 'inconclusive' && dropped > 0)
    return `${dropped} ${dropped === 1 ? 'finding' : 'findings'} dropped by the check, none left to show`;
  if (verdict === 'inconclusive') return 'Nothing to show, and not all of it was reviewed';
  if (below === 0 || severityFloor === null) return 'All findings are below the severity floor';
  return `${below} ${below === 1 ? 'finding' : 'findings'} below ${severityFloor}`;
}

/** Plain sentences, short enough for any list of messages. */
export function describeReviewEnd(end: ReviewEnd): string[] {
  if (end.kind === 'pending') return ['Not reviewed yet'];
  if (end.kind === 'skipped') return [`Not reviewed: ${end.reason}`];
  if (end.kind === 'failed') return [`The review failed: ${end.code}`];
  const counts = Object.entries(end.findings).filter(([, findings]) => findings > 0);
  const total = counts.reduce((sum, [, findings]) => sum + findings, 0);
  return [
    total === 0
      ? describeNothingShown(end)
      : `Findings: ${counts.map(([severity, findings]) => `${findings} ${severity}`).join(', ')}`,
    `Files: ${end.filesReviewed} reviewed, ${end.filesSkipped} not`,
  ];
}
