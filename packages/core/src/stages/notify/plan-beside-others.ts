import type { OutboxRow } from '../../stores/notify-outbox.js';
import { type FrozenPlan, type PlanPostsOptions, planPosts, type ReviewToPlan } from './plan-posts.js';

/** What is planned, and how the rows of the change are read again. */
export interface PlanBesideOthers {
  review: Omit<ReviewToPlan, 'earlier'>;
  /** Rows of the change as they were when the review was taken up. */
  earlier: readonly OutboxRow[];
  listRows(): Promise<readonly OutboxRow[]>;
}

/** Plans of one review, at most: so many versions of a change do not end while another is planned. */
const maxRounds = 5;

/**
 * `planPosts` where other versions of the change may be under way (CHN-2): a plan may take a minute, and the
 * version before may store its posts meanwhile. Then it is planned again with them, since nothing else
 * edits or archives what they show. Where a newer version has rows already nothing is posted: its posts
 * say it all.
 */
export async function planBesideOthers(
  options: PlanPostsOptions,
  { review, earlier, listRows }: PlanBesideOthers,
  signal: AbortSignal,
): Promise<readonly FrozenPlan[]> {
  if (options.channels.length === 0) return [];
  let known = earlier;
  for (let round = 1; ; round += 1) {
    const posts = await planPosts(options, { ...review, earlier: known }, signal);
    const rows = await listRows();
    if (rows.some(({ reviewVersion }) => reviewVersion > review.reviewVersion)) return [];
    const keys = new Set(known.map(({ key }) => key));
    const isMissed = ({ key, reviewVersion }: OutboxRow): boolean =>
      reviewVersion < review.reviewVersion && !keys.has(key);
    if (round === maxRounds || !rows.some(isMissed)) return posts;
    known = rows;
  }
}
