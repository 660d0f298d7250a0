import type { ContentLevel, Destination } from '../../foundation/outbound.js';
import { decodeFrozenMail } from '../frozen/frozen-mail.js';
import { decodeFrozenPost } from '../frozen/frozen-post.js';
import {
  type DeliveryCapabilities,
  type LookupOutcome,
  type Mailer,
  type SendContext,
  type SendOutcome,
  toDestination,
} from './mailer.js';
import { type PostQuery, type PostSender, readTarget } from './post-sender.js';

/** What a delivery asks a look-up with. */
export type MessageQuery = Omit<PostQuery, 'post'> & { recipient: string };

/** A frozen message in the hands of what sends it: all that a delivery knows of mails and posts. */
export interface OpenMessage {
  /** What it holds of a review. */
  content: ContentLevel;
  /** The address that a mail goes to; null for a post. */
  address: string | null;
  send(context: SendContext): Promise<SendOutcome>;
  lookup?(query: MessageQuery): Promise<LookupOutcome>;
}

/** A mailer or a channel, as the delivery sees it. */
export interface Sender {
  readonly id: string;
  readonly destination: Destination;
  readonly host?: string | undefined;
  readonly capabilities: DeliveryCapabilities;
  readonly hasLookup: boolean;
  /** The group of a row by its recipient; left out where rows are sent all at once. */
  groupOf?(recipientKey: string): string;
  /** Reads a message of its kind. Throws as `decodeFrozenMail` does. */
  open(bytes: Uint8Array, sha256: string): OpenMessage;
  close(): Promise<void>;
}

/** A mailer as a sender. */
export function mailSender(mailer: Mailer): Sender {
  return {
    id: mailer.id,
    destination: toDestination(mailer),
    host: mailer.host,
    capabilities: mailer.capabilities,
    hasLookup: mailer.lookup !== undefined,
    open(bytes, sha256) {
      const mail = decodeFrozenMail(bytes, sha256);
      const { messageId } = mail;
      return {
        content: mail.content ?? 'code',
        address: mail.to.address,
        send: (context) => mailer.send(mail, context),
        ...(mailer.lookup && {
          lookup: async (query) => (await mailer.lookup?.({ ...query, messageId })) ?? notAsked,
        }),
      };
    },
    close: async () => mailer.close?.(),
  };
}

const notAsked: LookupOutcome = { kind: 'absent', conclusive: false };

/** A channel as a sender. */
export function postSender(channel: PostSender): Sender {
  return {
    id: channel.id,
    destination: channel.destination,
    host: channel.host,
    capabilities: channel.capabilities,
    hasLookup: channel.lookup !== undefined,
    ...(channel.groupOf && {
      groupOf: (recipientKey) => channel.groupOf?.(readTarget(channel.id, recipientKey)) ?? '',
    }),
    open(bytes, sha256) {
      const post = decodeFrozenPost(bytes, sha256);
      return {
        content: post.content,
        address: null,
        send: (context) => channel.send(post, context),
        ...(channel.lookup && {
          lookup: async ({ recipient: _recipient, ...query }) =>
            (await channel.lookup?.({ ...query, post })) ?? notAsked,
        }),
      };
    },
    close: async () => channel.close?.(),
  };
}
