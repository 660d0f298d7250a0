import { CriticizerError } from '../../foundation/errors.js';
import { isWithinLevel, type OutboundGate } from '../../foundation/outbound.js';
import type { Clock } from '../../foundation/time/clock.js';
import { withDeadline } from '../../foundation/time/with-deadline.js';
import { encodeFrozenPost } from '../../outbox/frozen/frozen-post.js';
import { outboxKey } from '../../outbox/outbox-key.js';
import { isPostRow, postRecipient, readTarget } from '../../outbox/senders/post-sender.js';
import type { OutboxRow } from '../../stores/notify-outbox.js';
import type { Channel, ChannelReview, PlannedPost } from './channel.js';
import type { ReviewMailContent, ReviewMailCounts } from './mail-composer.js';

/** A review before it is cut to what a channel may have. */
export interface ReviewToPlan {
  changelistId: string;
  reviewVersion: number;
  originalNumber: number;
  /** Of the fetched change. */
  contentDigest: string;
  jobId: string;
  date: Date;
  content: ReviewMailContent;
  /** With excerpts; read only where a channel may have code. */
  code(): Promise<ReviewMailContent>;
  counts: ReviewMailCounts;
  /** Rows of earlier versions. */
  earlier: readonly OutboxRow[];
  /** Makes the link that hides a finding for the reader of a row. */
  hideUrl(findingId: string, rowKey: string): string | undefined;
}

/** One post, frozen and ready to be stored with its row. */
export interface FrozenPlan {
  via: string;
  recipientKey: string;
  key: string;
  required: boolean;
  bytes: Uint8Array;
  sha256: string;
}

export interface PlanPostsOptions {
  channels: readonly Channel[];
  outbound: Pick<OutboundGate, 'check' | 'highestContent'>;
  clock: Clock;
}

/** Limit of one plan, in milliseconds: a channel may ask its server a few times. */
const planDeadlineMs = 60_000;
const maxPosts = 1_000;

function refuse(channel: Channel, reason: string): CriticizerError {
  return new CriticizerError(
    'CHANNEL_PLAN_INVALID',
    `The channel "${channel.id}" planned what it may not: ${reason}.`,
    {
      category: 'bug',
      details: { channel: channel.id },
    },
  );
}

/** Wrong plans are the channel's fault: nothing of them is stored. */
function checkPlan(channel: Channel, posts: readonly PlannedPost[], review: ChannelReview): void {
  if (!Array.isArray(posts) || posts.length > maxPosts) throw refuse(channel, `more than ${maxPosts} posts`);
  if (new Set(posts.map(({ target }: PlannedPost) => target)).size !== posts.length)
    throw refuse(channel, 'two posts with one target');
  if (posts.some(({ content }: PlannedPost) => !isWithinLevel(content, review.level)))
    throw refuse(channel, `a post with more than "${review.level}"`);
}

async function describeFor(
  channel: Channel,
  review: ReviewToPlan,
  { outbound }: PlanPostsOptions,
): Promise<ChannelReview> {
  const { changelistId, reviewVersion, originalNumber, contentDigest, jobId, date, counts } = review;
  const highest = outbound.highestContent({ destination: channel.destination, recipient: null });
  const level = isWithinLevel('code', highest) ? 'code' : isWithinLevel('findings', highest) ? 'findings' : 'counts';
  const content = level === 'code' ? await review.code() : level === 'findings' ? review.content : null;
  const withheld = new Set(review.content.result.findings.filter(isWithheld).map(({ id }) => id));
  const key = (target: string): string =>
    outboxKey({ changelistId, recipientKey: postRecipient(channel.id, target), reviewVersion });
  const mine = review.earlier.filter((row) => row.via === channel.id && isPostRow(row));
  const earlier = mine
    .filter((row) => row.reviewVersion < reviewVersion)
    .sort((a, b) => b.reviewVersion - a.reviewVersion)
    .map((row) => ({
      target: readTarget(channel.id, row.recipientKey),
      ...{ reviewVersion: row.reviewVersion, key: row.key, id: row.notificationId },
    }));
  return {
    ...{ changelistId, reviewVersion, originalNumber, contentDigest, jobId, date },
    ...{ level, content, counts, earlier, key },
    linkFor: (findingId, target) => (withheld.has(findingId) ? undefined : review.hideUrl(findingId, key(target))),
  };
}

const isWithheld = ({ origin }: { origin?: string | undefined }): boolean => origin === 'redaction';

/** The frozen message of a planned post. */
function freeze(channel: Channel, review: ChannelReview, { target, body, content, required }: PlannedPost): FrozenPlan {
  let encoded: ReturnType<typeof encodeFrozenPost>;
  try {
    encoded = encodeFrozenPost({ channel: channel.id, target, body, content, date: review.date });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw refuse(channel, error.message);
  }
  const recipientKey = postRecipient(channel.id, target);
  return { via: channel.id, recipientKey, key: review.key(target), required, ...encoded };
}

/** The channel's plan; one that takes too long is aborted and retried as an answer that never came. */
async function askInTime(
  clock: Clock,
  channel: Channel,
  review: ChannelReview,
  signal: AbortSignal,
): Promise<readonly PlannedPost[]> {
  const ended = new AbortController();
  const late = (): Error =>
    new CriticizerError('CHANNEL_PLAN_TIMEOUT', `The channel "${channel.id}" did not plan in time.`, {
      category: 'upstream',
      details: { channel: channel.id, ms: planDeadlineMs },
    });
  const limits = { clock, ms: planDeadlineMs, call: `channel ${channel.id}.plan`, signal, late };
  try {
    return await withDeadline(limits, channel.plan(review, { signal: AbortSignal.any([signal, ended.signal]) }));
  } finally {
    ended.abort(late());
  }
}

/**
 * Asks every channel what to send of a review, each at its content level (ruling R21). Rejects with
 * `CHANNEL_PLAN_INVALID` for a plan that may not be stored, `EGRESS_KILLED` (parks) where a channel that
 * asks its server is stopped, and what a channel rejects with.
 */
export async function planPosts(
  options: PlanPostsOptions,
  review: ReviewToPlan,
  signal: AbortSignal,
): Promise<readonly FrozenPlan[]> {
  const planned = options.channels.map(async (channel) => {
    if (channel.plansOnline === true) await options.outbound.check(channel.destination);
    const described = await describeFor(channel, review, options);
    const posts = await askInTime(options.clock, channel, described, signal);
    checkPlan(channel, posts, described);
    return posts.map((post) => freeze(channel, described, post));
  });
  return (await Promise.all(planned)).flat();
}
