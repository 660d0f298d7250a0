import type { ParsedReview } from '../read/parse-review.js';
import { type Coverage, countHunksToRead } from './coverage.js';

/** What keeps a review from being the whole truth; shown with it. */
export type ReviewDoubt =
  | 'no_reply'
  | 'reply_rejected'
  | 'reply_cut'
  | 'ambiguous_reply'
  | 'findings_unread'
  | 'findings_dropped'
  | 'all_findings_dropped'
  | 'coverage_incomplete';

/**
 * What may be said of a change. `no_findings` is the only state that may be shown as clean;
 * `inconclusive` has no finding to show and is not clean.
 */
export interface ReviewState {
  verdict: 'findings' | 'no_findings' | 'inconclusive';
  /** Empty for `no_findings`. */
  doubts: readonly ReviewDoubt[];
}

function doubtsOf(reply: ParsedReview): readonly ReviewDoubt[] {
  const doubts: ReviewDoubt[] = [];
  if (reply.state !== 'complete') doubts.push('reply_cut');
  if (reply.outcome === 'rejected') return [...doubts, 'reply_rejected'];
  if (reply.ambiguous) doubts.push('ambiguous_reply');
  if (reply.unread > 0) doubts.push('findings_unread');
  const kept = reply.result.findings.length;
  if (reply.sent > kept) doubts.push(kept === 0 ? 'all_findings_dropped' : 'findings_dropped');
  return doubts;
}

/** True for a reply that is whole and of which every finding was kept. */
export function isBeyondDoubt(reply: ParsedReview): boolean {
  return reply.unread === 0 && doubtsOf(reply).length === 0;
}

/**
 * With `withSuppressed` and `withDropped`, the only place that decides whether a review is clean: every
 * reply whole and accepted, none ambiguous, no finding sent or seen unread, and every file reviewed
 * (OUT-9). `replies` are the final ones of each chunk; `findings` how many the merged review holds.
 */
export function decideReviewState(replies: readonly ParsedReview[], coverage: Coverage, findings: number): ReviewState {
  const doubts = new Set<ReviewDoubt>(replies.flatMap(doubtsOf));
  // Earlier reviews may have read all there is: no request was sent then.
  const isRead = coverage.complete && coverage.files.every((file) => countHunksToRead(file) === 0);
  if (replies.length === 0 && !isRead) doubts.add('no_reply');
  if (!coverage.complete) doubts.add('coverage_incomplete');
  const sent = replies.some((reply) => reply.outcome === 'accepted' && reply.sent > 0);
  if (findings > 0) return { verdict: 'findings', doubts: [...doubts] };
  return { verdict: doubts.size === 0 && !sent ? 'no_findings' : 'inconclusive', doubts: [...doubts] };
}

/**
 * The state once suppressions took `suppressed` findings out and left `kept`. A review of which any
 * is hidden never reads as clean: with none left it is inconclusive (GRD-8).
 */
export function withSuppressed(state: ReviewState, counts: { kept: number; suppressed: number }): ReviewState {
  if (counts.suppressed === 0) return state;
  return { ...state, verdict: counts.kept > 0 ? 'findings' : 'inconclusive' };
}

/**
 * The state once `dropped` findings of an earlier check are taken over: a review with any never reads
 * as clean (GRD-5).
 */
export function withDropped(state: ReviewState, dropped: number): ReviewState {
  return dropped > 0 && state.verdict === 'no_findings' ? { ...state, verdict: 'inconclusive' } : state;
}
