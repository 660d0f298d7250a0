import type { Job, Severity } from '@criticizer/core';
import { z } from 'zod';

/** How a review ended, in counts and codes: nothing of the change or the model. */
export type ReviewEnd =
  | {
      kind: 'reviewed';
      /** `no_findings` alone means clean: `inconclusive` has nothing to show, and not everything was reviewed. */
      verdict: 'findings' | 'no_findings' | 'inconclusive';
      /** At or above the mail's severity floor. */
      findings: Readonly<Record<Severity, number>>;
      filesReviewed: number;
      filesSkipped: number;
    }
  /** Not reviewed, for a stored skip reason, or `out-of-scope` or `not-found`. */
  | { kind: 'skipped'; reason: string }
  /** The code of its dead letter; `cancelled`, `unreadable`, or `gone` where its row is no longer stored. */
  | { kind: 'failed'; code: string };

const count = z.int().min(0);
const reviewedSchema = z.object({
  verdict: z.enum(['findings', 'no_findings', 'inconclusive']),
  findings: z.object({ critical: count, high: count, medium: count, low: count, info: count }),
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

/** Plain sentences, short enough for any list of messages. */
export function describeReviewEnd(end: ReviewEnd): string[] {
  if (end.kind === 'skipped') return [`Not reviewed: ${end.reason}`];
  if (end.kind === 'failed') return [`The review failed: ${end.code}`];
  const counts = Object.entries(end.findings).filter(([, findings]) => findings > 0);
  const total = counts.reduce((sum, [, findings]) => sum + findings, 0);
  const none = end.verdict === 'no_findings' ? 'No findings' : 'Nothing to show, and not all of it was reviewed';
  return [
    total === 0 ? none : `Findings: ${counts.map(([severity, findings]) => `${findings} ${severity}`).join(', ')}`,
    `Files: ${end.filesReviewed} reviewed, ${end.filesSkipped} not`,
  ];
}
