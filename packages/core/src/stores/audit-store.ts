import type { Actor, ActorType } from '../foundation/actor.js';
import type { JsonObject } from '../foundation/json.js';
import type { Page, TimeSpan } from '../foundation/page.js';

/** A row of `audit_events` before it has an id: payload already redacted and truncated by core (AUD-5..11). */
export interface NewAuditEvent {
  id: string;
  occurredAt: Date | null;
  actorType: ActorType;
  actorId: string | null;
  tenantId: string | null;
  traceId: string | null;
  requestId: string | null;
  /** Verb and object: `admin.user.update`. */
  action: string;
  targetType: string | null;
  targetId: string | null;
  resultStatus: 'success' | 'failure' | 'partial';
  httpStatus: number | null;
  sourceIp: string | null;
  userAgent: string | null;
  payload: JsonObject;
  payloadSha256: string;
  schemaVersion: number;
}

/** One recorded action, as it is stored. */
export interface AuditEvent extends Omit<NewAuditEvent, 'occurredAt'> {
  occurredAt: Date;
  createdAt: Date;
}

/** Where the delivery of an event to one destination stands. The words are the specification's. */
export type AuditDeliveryState = 'pending' | 'in_progress' | 'retry_wait' | 'delivered' | 'dead_lettered';

/** The delivery of one event to one destination. */
export interface AuditDelivery {
  id: string;
  auditEventId: string;
  destination: string;
  /** `<destination>:<audit_event_id>:v<n>` (AUD-15, ruling R3). */
  idempotencyKey: string;
  state: AuditDeliveryState;
  attemptCount: number;
  nextAttemptAt: Date;
  lastErrorCode: string | null;
  firstFailedAt: Date | null;
  deliveredAt: Date | null;
  /**
   * What the sink gave when it took the event and said that it confirms later; null: nothing to ask.
   * A claim of a row with a receipt counts no attempt: it sends nothing.
   */
  receipt: JsonObject | null;
  createdAt: Date;
}

/** What every write of a claimed delivery names: row, owner, token. */
export interface AuditLease {
  deliveryId: string;
  owner: string;
  token: string;
}

/** A delivery with its event, and the lease under which it is sent. */
export interface ClaimedAuditDelivery {
  delivery: AuditDelivery;
  event: AuditEvent;
  lease: AuditLease;
}

/** How one claimed delivery ended. */
export type AuditSettlement = { lease: AuditLease } & (
  | { kind: 'delivered' }
  /** Taken, not confirmed yet: the next claim, after `delayMs`, brings the receipt. No attempt is counted for it. */
  | { kind: 'accepted'; delayMs: number; receipt: JsonObject }
  /** The receipt, where there is one, is dropped: the next attempt sends again. */
  | { kind: 'retry'; delayMs: number; errorCode: string; errorMessage: string }
  /** The attempt that this claim counted is given back; a receipt is kept. */
  | { kind: 'wait'; delayMs: number; reason: string }
  | { kind: 'dead-letter'; errorCode: string; errorSummary: string; errorDetails: JsonObject | null }
);

/** What an operator did about a dead letter of the audit. */
export type AuditOperatorStatus = 'open' | 'requeued' | 'ignored' | 'resolved';

/** A delivery that failed for good, and waits for an operator. */
export interface AuditDeadLetter {
  id: string;
  deliveryId: string;
  auditEventId: string;
  destination: string;
  finalAttemptCount: number;
  firstFailedAt: Date;
  deadLetteredAt: Date;
  errorSummary: string;
  errorDetails: JsonObject | null;
  operatorStatus: AuditOperatorStatus;
  operatorNote: string | null;
  /** Id of the actor who ended it; the audit event of the verb holds the type too. */
  operatorId: string | null;
}

/** Which audit events a list gives; filters combine. */
export interface AuditEventFilter extends Page, TimeSpan {
  action?: string | undefined;
  actorId?: string | undefined;
  tenantId?: string | undefined;
}

/** Which dead letters of audit deliveries a list gives; filters combine. */
export interface AuditDeadLetterFilter extends Page, TimeSpan {
  operatorStatus?: AuditOperatorStatus | undefined;
  destination?: string | undefined;
}

/** Which audit deliveries a list gives; filters combine. */
export interface AuditDeliveryFilter extends Page, TimeSpan {
  state?: AuditDeliveryState | undefined;
  destination?: string | undefined;
  auditEventId?: string | undefined;
}

/** The backlog of one destination; ages in milliseconds, 0 where there is nothing. */
export interface AuditStats {
  destination: string;
  pending: number;
  deadLettersOpen: number;
  oldestPendingMs: number;
  oldestDeadLetterMs: number;
}

/** Whose fields one page of an erasure blanks, and what takes the place of the payloads. */
export interface AuditErasure {
  /** The person's id, as `actorId` or `targetId` hold it. */
  subjectId: string;
  /** Types of targets that are persons; null: every target of that id. */
  targetTypes: readonly string[] | null;
  /** Has `_erasure_meta`. */
  payload: JsonObject;
  payloadSha256: string;
  /** Most events of the page. */
  limit: number;
}

/** One page of an erasure. */
export interface ErasedAuditEvents {
  eventIds: readonly string[];
  /** Deliveries of these events that a sink may hold: those that were claimed once or more. */
  sent: readonly { destination: string; idempotencyKey: string }[];
  /** Dead letters that this person had ended: their operator is blank now. */
  deadLetters: number;
  /** True: another page may find more. */
  hasMore: boolean;
}

/** Which events one page of a pruning looks at. */
export interface AuditPruning {
  /** Since `occurredAt`, in milliseconds. */
  olderThanMs: number;
  /** True prunes events whose dead letters are all ended, too; one that is open is kept always (ruling R18). */
  includeDeadLetters: boolean;
  /** Most events that the page looks at, whether they may go or not. */
  limit: number;
  /** `next` of the page before; null begins at the oldest event. */
  after: string | null;
}

/** One page of a pruning: how many rows went. */
export interface PrunedAuditEvents {
  events: number;
  deliveries: number;
  deadLetters: number;
  /** When the oldest of these events happened; null where none went. */
  occurredFrom: Date | null;
  /** When the newest of these events happened. */
  occurredUntil: Date | null;
  /** Where the next page begins; null: nothing older than the age is left to look at. */
  next: string | null;
}

/** `audit_events`, `audit_outbox` and `audit_dead_letter` (AUD-1). */
export interface AuditStore<Tx> {
  readonly storeId: string;
  /**
   * Event and one delivery per destination in one transaction, the caller's when `tx` is given
   * (AUD-2), under a savepoint there so that a failed insert leaves the caller's transaction usable
   * (ruling R12).
   */
  record(event: NewAuditEvent, destinations: readonly string[], options?: { tx?: Tx | undefined }): Promise<AuditEvent>;
  get(id: string): Promise<AuditEvent | null>;
  /** Newest first by `occurredAt`, which `since` and `until` compare. */
  list(filter: AuditEventFilter): Promise<readonly AuditEvent[]>;
  /**
   * Leases due deliveries of these destinations, and those whose lease ended, oldest due first.
   * Counts an attempt for each that has no receipt. A destination that is not named costs the claim
   * nothing, however many rows of it are due.
   */
  claim(request: {
    owner: string;
    token: string;
    leaseMs: number;
    limit: number;
    destinations: readonly string[];
  }): Promise<readonly ClaimedAuditDelivery[]>;
  heartbeat(leases: readonly AuditLease[], leaseMs: number): Promise<readonly ('renewed' | 'lease-lost')[]>;
  settle(settlements: readonly AuditSettlement[]): Promise<readonly ('settled' | 'lease-lost')[]>;
  /** Expired leases back to `retry_wait`; safe from any number of processes at once. */
  requeueExpired(options?: { limit?: number | undefined }): Promise<number>;
  /** Newest first by `createdAt`, which `since` and `until` compare. */
  listDeliveries(filter: AuditDeliveryFilter): Promise<readonly AuditDelivery[]>;
  /** Newest first by `deadLetteredAt`, which `since` and `until` compare. */
  listDeadLetters(filter: AuditDeadLetterFilter): Promise<readonly AuditDeadLetter[]>;
  /** `open` to `requeued` and a fresh delivery with the next key version (AUD-16, rulings R2 and R3). */
  requeue(
    deadLetterId: string,
    by: { actor: Actor; note: string },
    options?: { tx?: Tx | undefined },
  ): Promise<'requeued' | 'not-open' | 'not-found'>;
  /** Status, note and operator are all that ever changes. The note is mandatory; its text is the caller's policy. */
  close(
    deadLetterId: string,
    closing: { status: 'ignored' | 'resolved'; actor: Actor; note: string },
    options?: { tx?: Tx | undefined },
  ): Promise<'closed' | 'not-open' | 'not-found'>;
  /**
   * Blanks a person in one page of events: `actorId`, `sourceIp` and `userAgent` where the person
   * acted, `targetId` where the person was the target, and the payload of both. Deliveries that were
   * not sent yet carry the blank form. Besides delivery states and what ends a dead letter this is
   * all that ever changes. What is blank already is not found again: the next call is the next page.
   */
  eraseSubject(erasure: AuditErasure, options?: { tx?: Tx | undefined }): Promise<ErasedAuditEvents>;
  /**
   * Deletes the old events of one page, oldest first, with their deliveries and ended dead letters.
   * An event is kept while a delivery of it is neither delivered nor dead-lettered. Nothing else
   * deletes a row of the three tables.
   */
  prune(pruning: AuditPruning, options?: { tx?: Tx | undefined }): Promise<PrunedAuditEvents>;
  /** The backlog, which is all but delivered and dead-lettered, and open dead letters, by destination. */
  stats(): Promise<readonly AuditStats[]>;
}
