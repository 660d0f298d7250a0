import type { Destination } from '../../foundation/outbound.js';
import type { FrozenPost } from '../frozen/frozen-post.js';
import type { DeliveryCapabilities, LookupOutcome, SendContext, SendOutcome } from './mailer.js';

/** What a look-up of a post is asked with. */
export interface PostQuery {
  post: FrozenPost;
  /** The row's key, as the send had it. */
  key: string;
  /** The id that `send` gave; null where its answer was lost. */
  id: string | null;
  /** No attempt is older. */
  since: Date;
  /** Milliseconds since the data phase, by the store's clock. */
  sinceDataMs: number;
  signal: AbortSignal;
}

/**
 * The sending half of a channel: chat, code review, webhook. It has the promises of a `Mailer`: never
 * retries by itself, never throws for what a server answered, awaits `onPhase('data', wire)` before a
 * byte of the message leaves, and throws a `CriticizerError` with `parks` for a credential outage. No
 * error or failure holds a secret.
 */
export interface PostSender {
  /** The version of this port that the part is written to. Wiring refuses a number that it does not know. */
  readonly contract: 1;
  /** Unique among the mailers and channels of a Criticizer: letters, digits, dot, dash, underscore; 64 at most. */
  readonly id: string;
  /** As kill switch, content levels and egress records know it. */
  readonly destination: Destination;
  /** Host and port that it sends to, as `WireMessage.host` will say: for dry runs. */
  readonly host?: string | undefined;
  readonly capabilities: DeliveryCapabilities;
  /**
   * Names what a target belongs to, such as one thread or topic. Of one group one post is sent at a time, by whatever
   * process of the store: for a server that loses one of two writes at once. Pure. Left out: all at once. Posts
   * for which it throws or gives no string are one group.
   */
  groupOf?(target: string): string;
  send(post: FrozenPost, context: SendContext): Promise<SendOutcome>;
  /** Asks the server for the post. Throws `CriticizerError` where it cannot be asked. */
  lookup?(query: PostQuery): Promise<LookupOutcome>;
  /** Idempotent. */
  close?(): Promise<void>;
}

/** `<channel id>:<target>`, a row's recipient and its key; no mail address has a colon. */
export function postRecipient(channelId: string, target: string): string {
  return `${channelId}:${target}`;
}

/** The target in the recipient of a row of the channel. */
export function readTarget(channelId: string, recipientKey: string): string {
  return recipientKey.slice(postRecipient(channelId, '').length);
}

/** True for a row of a channel, false for one of a mailer. */
export function isPostRow({ via, recipientKey }: { via: string; recipientKey: string }): boolean {
  return recipientKey.startsWith(postRecipient(via, ''));
}
