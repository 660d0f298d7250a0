import type { ContentLevel, Destination } from '../../foundation/outbound.js';
import type { DeliveryFailure } from '../../stores/notify-outbox.js';

/** A message frozen once: every attempt, in any process, sends these bytes (NOT-5). One recipient, always. */
export interface FrozenMail {
  /** `<key@host>`, deterministic. */
  messageId: string;
  from: { address: string; name?: string | undefined };
  /** Envelope sender, where bounces go; never empty. */
  envelopeFrom: string;
  /** Where replies go. Default: `from`. */
  replyTo?: { address: string; name?: string | undefined } | undefined;
  to: { address: string; name?: string | undefined };
  /**
   * What the header fields To and Cc show where one message has several readers: each of them has a
   * copy of its own, so nobody but `to` is sent this one. Default: `to` alone. A mailer that cannot
   * write the fields apart from the envelope leaves it out.
   */
  shown?: ShownRecipients | undefined;
  subject: string;
  /** Frozen at composition, never the time of an attempt. */
  date: Date;
  text: string;
  html: string;
  /** What the mail holds of a review; left out where its composer does not say, which counts as `code`. */
  content?: ContentLevel | undefined;
  /**
   * Further headers, in order: `X-…`, `List-…` and others that name nobody (`isAllowedHeader`); no
   * CR, LF or NUL anywhere.
   */
  headers: readonly { name: string; value: string }[];
  /** At most 20, and 10 MB together. */
  attachments?: readonly MailAttachment[] | undefined;
}

/** Who is shown as a reader of a message; nobody gets it by this. */
export interface ShownRecipients {
  to: FrozenMail['to'];
  /** At most 100. */
  cc: readonly FrozenMail['to'][];
}

/** A file that goes with a mail. */
export interface MailAttachment {
  /** As the reader sees it: 1 to 200 characters, no path, no control character. */
  name: string;
  /** Such as `application/pdf`, without parameters. */
  contentType: string;
  content: Uint8Array;
}

/** What a mailer or channel and its server promise about a message that is sent twice. */
export interface DeliveryCapabilities {
  /**
   * `none`; `receiver`: repeats of a key are dropped at the far end for good; or a window in which
   * the provider treats a repeat as the same mail.
   */
  idempotency: 'none' | 'receiver' | { ttlMs: number };
  /** Whether `lookup` can tell, and by what. */
  lookup: 'none' | 'id' | 'key';
  /** How long after the data phase an absent mail may still turn up. */
  settleMs: number;
  /** How far back a look-up sees. */
  retentionMs: number;
}

/** `DeliveryCapabilities` by the name that they had while mailers alone had them. */
export type MailerCapabilities = DeliveryCapabilities;

/**
 * - `accepted`: the provider took it; `id` is the provider's, else the Message-ID. Of one that takes a
 *   message and may still drop it unseen, `id` is that of `handedOverId`.
 * - `rejected`: a clear no; nothing was sent. `transport` scope for what any mail of this sender
 *   would have met (server, network,
 *   credential, relay rule, quota): the mail waits and no attempt is spent.
 * - `ambiguous`: the data phase was reached and no answer came; only a look-up can tell. Its
 *   failure's scope is `transport`.
 *
 * `retryAfterMs`: what the server asked for, or how long such an answer usually lasts; milliseconds from now.
 */
export type SendOutcome =
  | { kind: 'accepted'; id: string }
  | { kind: 'rejected'; failure: DeliveryFailure; permanent: boolean; retryAfterMs?: number | undefined }
  | { kind: 'ambiguous'; failure: DeliveryFailure; retryAfterMs?: number | undefined };

/**
 * `conclusive: false`: absence proves nothing yet (not settled, past retention, or the source
 * cannot be trusted to be complete).
 */
export type LookupOutcome = { kind: 'found'; id: string } | { kind: 'absent'; conclusive: boolean };

/** The message as a mailer hands it to its connection. */
export interface WireMessage {
  /** Host and port that the bytes go to. */
  host: string;
  /** Exactly the bytes of the message; without what a transport adds around it, such as SMTP's dots. */
  bytes: Uint8Array;
}

/**
 * What a mailer is given besides the mail: its key, a signal, and the verb that records how far it
 * got.
 */
export interface SendContext {
  /** The row's key: the provider's idempotency token and the `X-Criticizer-Key` header. */
  key: string;
  signal: AbortSignal;
  /**
   * Awaited before the data phase: it commits the phase to the row. A rejection stops the send
   * before any byte of the message leaves; `send` then rejects with the same reason. The data phase
   * brings the message as it goes to the connection: the egress record is made from it, and without
   * it nothing is sent (EGR-1).
   */
  onPhase(phase: 'envelope' | 'data', wire?: WireMessage): Promise<void>;
}

/**
 * Sends one frozen mail. Never retries by itself and never throws for what a provider answered; it
 * throws a `CriticizerError` with `parks` for a credential outage, `TypeError` for a message that
 * could not be composed, and the reason that `onPhase` rejected with.
 */
export interface Mailer {
  /** The version of this port that the part is written to. Wiring refuses a number that it does not know. */
  readonly contract: 1;
  readonly id: string;
  /**
   * The id by which kill switch, content levels and egress records know it: of a mailer that hands
   * its mails on, that of the one which sends them. Default: `id`.
   */
  readonly destinationId?: string | undefined;
  /**
   * Host and port that it sends to, as `WireMessage.host` will say: for dry runs. Left out where it
   * is known only at the send.
   */
  readonly host?: string | undefined;
  readonly capabilities: DeliveryCapabilities;
  send(mail: FrozenMail, context: SendContext): Promise<SendOutcome>;
  /**
   * Asks the provider or a journal for the mail. `since` bounds the search; throws
   * `CriticizerError` when the source cannot be asked.
   */
  lookup?(query: {
    key: string;
    messageId: string;
    id: string | null;
    recipient: string;
    since: Date;
    /** Milliseconds since the data phase, by the store's clock. */
    sinceDataMs: number;
    signal: AbortSignal;
  }): Promise<LookupOutcome>;
  /** Idempotent; ends pooled connections. */
  close?(): Promise<void>;
}

/** Where the mails of a mailer go, as kill switch, content levels and egress records name it. */
export function toDestination({ id, destinationId }: Pick<Mailer, 'destinationId' | 'id'>): Destination {
  return { kind: 'mail', id: destinationId ?? id };
}
