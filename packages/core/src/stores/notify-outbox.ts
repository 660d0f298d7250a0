import type { FailureCategory } from '../foundation/errors.js';
import type { Page, TimeSpan } from '../foundation/page.js';

/** What must be stored before any send (NOT-3). The text itself is an artifact; a row never holds it (EGR-5). */
export interface NewOutboxRow {
  /** `<serverId>/<number>`, or the host's own dedupe scope. */
  changelistId: string;
  reviewVersion: number;
  /** As given, for the envelope. */
  recipient: string;
  /**
   * Local part as is, domain lower-cased and IDNA-encoded: the unique column with `changelistId`
   * and `reviewVersion`.
   */
  recipientKey: string;
  /**
   * 32 hex characters, the same for every attempt: Message-ID, provider idempotency token and
   * look-up key derive from it (NOT-5).
   */
  key: string;
  required: boolean;
  /** Id of the mailer that delivers it, chosen once: no other mailer ever claims the row. */
  via: string;
  jobId: string | null;
  /** The frozen message. */
  messageArtifactId: string;
  /** SHA-256 of the frozen message, hex; a retry that renders other bytes is an alarm, not a mail. */
  messageSha256: string;
  /** A valid W3C `traceparent` of 55 characters: every delivery links to it (OPS-6). Default null. */
  traceparent?: string | null | undefined;
  /** It is due then, not before; an instant that is past is now. Default null: now. */
  sendAt?: Date | null | undefined;
}

/**
 * `pending` due or waiting · `sending` claimed · `sent` · `failed` for good, operator · `unknown`
 * stopped: it may have been sent and no look-up can tell · `cancelled` superseded by a newer version ·
 * `held` by an operator: not delivered until it is released.
 */
export type OutboxStatus = 'pending' | 'held' | 'sending' | 'sent' | 'failed' | 'unknown' | 'cancelled';

/** How far the last attempt got: from `data` on, the message may have been accepted (ruling R6). */
export type SendPhase = 'none' | 'envelope' | 'data';

/** Why a mail was not delivered, and whose fault it is. */
export interface DeliveryFailure {
  /** Whose fault: only `recipient` and `message` may fail a row for good (NOT-9). */
  scope: 'recipient' | 'message' | 'transport';
  code: string;
  category: FailureCategory;
  /** Sanitized, cut to 1,024 bytes. */
  message: string;
}

/** One mail to one recipient, as the database knows it. */
export interface OutboxRow extends Omit<NewOutboxRow, 'sendAt'> {
  id: string;
  traceparent: string | null;
  status: OutboxStatus;
  /** Started attempts; counted at claim, given back by `wait`. */
  attempts: number;
  phase: SendPhase;
  /** When `data` was first recorded for the attempt under way or last made; look-ups settle against it. */
  dataAt: Date | null;
  notificationId: string | null;
  notifiedAt: Date | null;
  provider: string | null;
  /** Until when the provider promises to treat a repeat of `key` as the same mail. */
  providerKeyExpiresAt: Date | null;
  possibleDuplicate: boolean;
  lastFailure: DeliveryFailure | null;
  /**
   * Why a pending row waits that spent no attempt: the code of an outage, or `paced`, `group-busy`,
   * `not-settled`, `lookup-failed`. Null where it was claimed since, or waits for nothing but its next attempt.
   */
  waitingFor: string | null;
  nextAttemptAt: Date;
  /** When an audit last found the mail at the provider. */
  verifiedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** What every write of a claimed row names: row, owner, token. */
export interface OutboxLease {
  rowId: string;
  owner: string;
  token: string;
}

/** Which mails to claim, for whom, for how long, and how many at most. */
export interface OutboxClaimRequest {
  owner: string;
  token: string;
  leaseMs: number;
  limit: number;
  /**
   * Ids of the mailers that the claimer has, 1 to 100. Rows that go by another mailer are left to
   * the processes that have it.
   */
  via: readonly string[];
  /**
   * `deliver`: pending and due, or `sending` with an expired lease. `reconcile`: `sent` rows not
   * verified and older than `olderThanMs`; they stay `sent`, and no attempt is counted.
   */
  purpose: 'deliver' | { reconcile: { olderThanMs: number } };
  /** Only these rows, 1 to 1,000 ids; those that are not due or go by another mailer are left out. Default: any row. */
  ids?: readonly string[] | undefined;
}

/** A mail, and the lease under which it is delivered. */
export interface ClaimedOutboxRow {
  /**
   * As it was re-read in the claim, `updatedAt` being the claim's instant: its `phase`,
   * `notificationId` and `notifiedAt` decide between send and look-up (NOT-6).
   */
  row: OutboxRow;
  lease: OutboxLease;
  /**
   * True where a higher version of the review has rows: nothing of this one is to be sent any more. Of a
   * host's own mail, whose scope has no `/`, never.
   */
  superseded: boolean;
}

/**
 * `reopen`, `verified` and `unverified` apply to a row that is `sent`, under a reconcile claim; all
 * others to one that is `sending`.
 */
export type OutboxSettlement = { lease: OutboxLease } & (
  | {
      /** One write sets `notificationId`, `notifiedAt` = now and `sent` (NOT-5). */
      kind: 'sent';
      notificationId: string;
      provider: string;
      /** True where a look-up found it rather than a reply: no new mail was made. */
      recovered: boolean;
      possibleDuplicate?: boolean | undefined;
    }
  | {
      kind: 'retry';
      delayMs: number;
      failure: DeliveryFailure /** What the attempt proved; `none` allows a blind resend. */;
      phase: SendPhase;
    }
  | { /** The attempt is given back (ruling R9). */ kind: 'wait'; delayMs: number; reason: string; phase: SendPhase }
  | { kind: 'failed'; failure: DeliveryFailure }
  | { /** Held for an operator: accepted or not, nobody can tell. */ kind: 'unknown'; failure: DeliveryFailure }
  | { /** Look-up found no record of a row marked sent: markers cleared, due again (NOT-8). */ kind: 'reopen' }
  | { /** Reconciliation found the mail. */ kind: 'verified' }
  | {
      /** Reconciliation found no proof and look-up is not conclusive: stays `sent`, looked at again later. */ kind: 'unverified';
    }
  | { /** Superseded or withdrawn. */ kind: 'cancelled' }
);

/** Which mail rows a list gives; filters combine. */
export interface OutboxFilter extends Page, TimeSpan {
  changelistId?: string | undefined;
  reviewVersion?: number | undefined;
  jobId?: string | undefined;
  status?: OutboxStatus | undefined;
  key?: string | undefined;
  /** As the row's: the provider's id of the mail that was sent. */
  notificationId?: string | undefined;
  /** As the row's: the domain in lower case and A-labels. */
  recipientKey?: string | undefined;
}

/** What became of a row that an operator wanted delivered again. */
export type ReopenOutcome = 'reopened' | 'superseded' | 'not-closed' | 'not-found';

/** Mails of one status that wait for the same. */
export interface OutboxBacklog {
  status: Exclude<OutboxStatus, 'sent' | 'cancelled'>;
  /** As the rows'. */
  waitingFor: string | null;
  count: number;
  /** How long ago the oldest of them was stored, in milliseconds. */
  oldestMs: number;
}

/**
 * The delivery log (NOT-3..11), unique by `(changelistId, recipientKey, reviewVersion)`. Rows have
 * leases of their own, apart from the job's.
 */
export interface NotifyOutbox<Tx> {
  readonly storeId: string;
  /** One that exists by its key is returned as it is: `existing`. */
  add(
    rows: readonly NewOutboxRow[],
    options?: { tx?: Tx | undefined },
  ): Promise<readonly { outcome: 'added' | 'existing'; row: OutboxRow }[]>;
  claim(request: OutboxClaimRequest): Promise<readonly ClaimedOutboxRow[]>;
  heartbeat(leases: readonly OutboxLease[], leaseMs: number): Promise<readonly ('renewed' | 'lease-lost')[]>;
  /**
   * Commits at once, before the bytes leave: a crash afterwards is then known to be ambiguous
   * (ruling R6). With `providerKeyTtlMs`, `providerKeyExpiresAt` is so many milliseconds from now;
   * without, the old expiry stays, as `provider` does. `possibleDuplicate` flags the row before the
   * bytes leave: a crash afterwards must not lose the flag; it is never taken back.
   */
  recordPhase(
    lease: OutboxLease,
    phase: 'envelope' | 'data',
    options?: {
      provider?: string | undefined;
      providerKeyTtlMs?: number | undefined;
      possibleDuplicate?: boolean | undefined;
    },
  ): Promise<'recorded' | 'lease-lost'>;
  /**
   * Each under its lease, results in the order given. `lease-lost`: not the holder any more, or the
   * row's status is not the settlement's; nothing was written.
   */
  settle(settlements: readonly OutboxSettlement[]): Promise<readonly ('settled' | 'lease-lost')[]>;
  /** Expired leases back to `pending`, `phase` kept; safe from any number of processes at once. */
  requeueExpired(options?: { limit?: number | undefined }): Promise<number>;
  /** Newest first by `createdAt`, which `since` and `until` compare. */
  list(filter: OutboxFilter): Promise<readonly OutboxRow[]>;
  /**
   * The operator's verb (NOT-9, ruling R23): a `failed` or `unknown` row becomes `pending`, due
   * now, with all its attempts. `lastFailure` and `phase` stay, so that where a copy may exist the
   * next delivery looks it up first (NOT-6). `not-closed`: the row has another status and is not
   * touched; so is an id given twice, the second time. What was sent needs a higher
   * `reviewVersion`, and what a newer version cancelled is that version's. `superseded`: a higher version
   * of the review has rows, so the row becomes `cancelled` instead. In the order of `ids`.
   */
  reopen(ids: readonly string[], options?: { tx?: Tx | undefined }): Promise<readonly ReopenOutcome[]>;
  /** A `pending` row becomes `held`: no process claims it. One that is `sending` is its holder's. */
  hold(id: string, options?: { tx?: Tx | undefined }): Promise<'held' | 'not-pending' | 'not-found'>;
  /** A `held` row becomes `pending`, due now. */
  release(id: string, options?: { tx?: Tx | undefined }): Promise<'released' | 'not-held' | 'not-found'>;
  /**
   * An `unknown` row becomes `sent`, notified and verified now (ruling R23): reconciliation leaves it
   * out, since its look-up could not tell before either. `notificationId` is 1 to 1,024 characters.
   */
  confirm(
    id: string,
    confirmation: { notificationId: string },
    options?: { tx?: Tx | undefined },
  ): Promise<'confirmed' | 'not-unknown' | 'not-found'>;
  /** Pending and held rows of the change with a lower version become `cancelled`: no stale mail. Gives the count. */
  cancelOlder(changelistId: string, belowVersion: number, options?: { tx?: Tx | undefined }): Promise<number>;
  /**
   * Mails of reviews to one who wants none any more (ruling R22): rows that were not sent are not
   * required from now on, and those that are pending or held become `cancelled`. Mails of hosts, whose
   * scope has no `/`, stay. Gives how many rows it changed.
   */
  withdraw(recipientKey: string, options?: { tx?: Tx | undefined }): Promise<number>;
  stats(): Promise<Readonly<Record<OutboxStatus, number>>>;
  /**
   * The mails that are not done with, by status and what they wait for, in that order: `pending`,
   * `sending`, `unknown` and `failed`. By an index, whatever the number of mails that were sent.
   */
  backlog(): Promise<readonly OutboxBacklog[]>;
}
