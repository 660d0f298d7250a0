import type { JsonObject } from '../../foundation/json.js';
import type { ContentLevel } from '../../foundation/outbound.js';
import type { PostSender } from '../../outbox/senders/post-sender.js';
import type { ReviewMailContent, ReviewMailCounts } from './mail-composer.js';

/** A post of an earlier version of the change, by this channel. */
export interface EarlierPost {
  target: string;
  /** A positive integer. */
  reviewVersion: number;
  /** The row's key: what the post is found by. */
  key: string;
  /** What `send` gave; null where it was never sent or its answer was lost. */
  id: string | null;
}

/** One review as a channel plans its posts from: the model that mails are made of. */
export interface ChannelReview {
  /** `<serverId>/<number>`. */
  changelistId: string;
  /** A positive integer. */
  reviewVersion: number;
  /** The change's number before it was submitted: some servers know it by that one alone. */
  originalNumber: number;
  /**
   * `Change.contentDigest` of what was judged: a shelf may hold something else by now. Where a channel
   * shows lines, they are those of content with this digest.
   */
  contentDigest: string;
  jobId: string;
  /** What posts are frozen with. */
  date: Date;
  /** The most that a post may hold (ruling R21): `counts`, `findings` or `code`. */
  level: ContentLevel;
  /** Null at `counts`. At `code` findings have excerpts. Everything that the change or the model wrote is untrusted. */
  content: ReviewMailContent | null;
  counts: ReviewMailCounts;
  /** Of earlier versions, newest first; at most 1,000. */
  earlier: readonly EarlierPost[];
  /** The key that the row of a target gets: 32 hex characters, the same in every process. */
  key(target: string): string;
  /**
   * Where a reader of the target's post hides a finding (GRD-8). Undefined where there are no links,
   * and for a withheld credential, which no link hides.
   */
  linkFor(findingId: string, target: string): string | undefined;
}

/** One message that a channel wants sent. */
export interface PlannedPost {
  /** The place in the channel, unique within the plan: 1 to 255 characters. */
  target: string;
  body: JsonObject;
  /** What the body holds of the review; at most `ChannelReview.level`. */
  content: ContentLevel;
  /** True holds the review open until the post is sent. */
  required: boolean;
}

/**
 * A second way out of the one outbox (NOT-1): chat, code review, a webhook. Posts are planned once, frozen
 * with the mails in one commit, and delivered under the same rules.
 */
export interface Channel extends PostSender {
  /** True where `plan` asks the channel's server: the kill switch is asked first. Default false. */
  readonly plansOnline?: boolean | undefined;
  /**
   * What to send of a review; at most 1,000 posts, none where there is nothing to say there. Called once before
   * rows are stored, and again where that failed. A `CriticizerError` with `parks` waits for its server;
   * any other ends or retries the stage by its category.
   */
  plan(review: ChannelReview, context: { signal: AbortSignal }): Promise<readonly PlannedPost[]>;
}
