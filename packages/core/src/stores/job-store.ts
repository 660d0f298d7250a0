import type { JsonObject, JsonValue } from '../foundation/json.js';
import type { Page, TimeSpan } from '../foundation/page.js';
import type { NewDeadLetter } from './dead-letter-store.js';
import type { Failure, Job, JobStatus, Lease, Outputs } from './job.js';
import type { NewOutboxRow } from './notify-outbox.js';
import type { SampledCounts } from './sample-store.js';

/**
 * Text, the payload's included, is kept to the character; NUL and halves of surrogate pairs, which
 * not every store can hold, are a `TypeError`.
 */
export interface NewJob {
  kind: string;
  payload: JsonValue;
  /** The first stage. */
  stage: string;
  /** Unique; 1 to 512 characters. */
  idempotencyKey: string;
  priority?: number | undefined;
  /** Delay from the database's now, in milliseconds. Default 0. */
  delayMs?: number | undefined;
  /** An instant the caller means as such; wins over `delayMs`. */
  runAt?: Date | undefined;
  changelistId?: string | undefined;
  /** Needs `changelistId`; whole, at least 1. */
  reviewVersion?: number | undefined;
  /** Stored as already completed with this result: a change seen but not reviewed (INT-1). */
  completedWith?: JsonObject | undefined;
  /** A valid W3C `traceparent` of 55 characters: every attempt links to it (OPS-6). Default none. */
  traceparent?: string | undefined;
}

/**
 * - `enqueued`: a new row.
 * - `duplicate`: the idempotency key is known; the existing job, nothing changed (NOT-1).
 * - `same-version`: another key, same change and version; the existing job, also where a higher version exists (NOT-2).
 * - `older-version`: a higher `reviewVersion` of the change exists; that job, nothing stored (NOT-2).
 */
export interface EnqueueResult {
  outcome: 'enqueued' | 'duplicate' | 'same-version' | 'older-version';
  job: Job;
}

/** Which jobs to claim, for whom, for how long, and how many at most. */
export interface ClaimRequest {
  /** Only these kinds: a worker never claims what it cannot run. */
  kinds: readonly string[];
  owner: string;
  /** Random per call; with `owner` it fences what was claimed. */
  token: string;
  leaseMs: number;
  /** Most jobs to claim, at least 1. */
  limit: number;
}

/** A job, and the lease under which it runs. */
export interface ClaimedJob {
  /** As it is after the claim: running, `attempts[stage]` already counted. */
  job: Job;
  lease: Lease;
}

/** What commits together with a settlement, or not at all. */
export interface SettlementEffects {
  /** Merged into the job's outputs. */
  outputs?: Outputs | undefined;
  /**
   * Artifacts of this job to turn from `pending` to `live`; one that is `live` already stays so.
   * One that is unknown, deleted, another job's or held by a sweeper makes `settle` reject with
   * `ARTIFACT_NOT_PENDING` (conflict) and undoes the whole call (ART-7).
   */
  publish?: readonly string[] | undefined;
  /** Rows to add; one that exists by its key is left as it is (NOT-3). */
  outbox?: readonly NewOutboxRow[] | undefined;
  /**
   * Counts to add to the bucket of the present time, as `SampleStore.add` does: a run that lost its
   * lease or is repeated counts nothing (PR-5). Needs the module `review`.
   */
  samples?: SampledCounts | undefined;
}

/** As for a new job, NUL and halves of surrogate pairs in its text are a `TypeError`. */
export type Settlement = { lease: Lease; effects?: SettlementEffects | undefined } & (
  | {
      /**
       * The stage ended well; the job stays claimed and the next stage's first attempt is counted.
       * Renews the lease.
       */
      kind: 'advance';
      stage: string;
      leaseMs: number;
      /**
       * A UUID that names this settlement. It keeps the lease, so the fence alone does not show that
       * an earlier call wrote it whose answer was lost; by the id the store does, and answers
       * `settled-before`. A row remembers the last id alone: one such settlement of a job at a time.
       */
      id?: string | undefined;
    }
  | {
      /** Progress inside a stage that a crash must not repeat. Renews the lease, spends nothing. */
      kind: 'checkpoint';
      leaseMs: number;
      /** As for `advance`. */
      id?: string | undefined;
    }
  | {
      /**
       * `completed`. With `requireNotified`, refused while a required outbox row of the change and
       * version lacks `notifiedAt`, rows that this settlement would add included (NOT-10).
       */
      kind: 'done';
      result: JsonObject;
      requireNotified: boolean;
      /**
       * True deletes the row instead of keeping it as `completed`, and frees its idempotency key:
       * for work that nobody asks about later. Not together with `requireNotified` or `effects`. A
       * job that replays a dead letter is kept for whoever closes the letter. Default false.
       */
      deleteRow?: boolean | undefined;
    }
  | {
      /** `queued` again at now + `delayMs`; the attempt stays spent. */ kind: 'retry';
      delayMs: number;
      failure: Failure;
    }
  | {
      /** `queued` again at now + `delayMs`; the attempt is given back (ruling R9). */ kind: 'wait';
      delayMs: number;
      reason: string;
    }
  | { /** `queued` again at once; the attempt is given back: shutdown. */ kind: 'release' }
  | { /** `failed`, with its dead letter. */ kind: 'dead-letter'; deadLetter: NewDeadLetter }
  | {
      /**
       * `failed` with its code and without a dead letter, as by `cancel`: nothing is left for an
       * operator to cure, so nothing pages and the row may be pruned. `failure` becomes the job's
       * last one, `result` (default null) its result.
       */
      kind: 'fail';
      failure: Failure;
      result?: JsonObject | undefined;
    }
);

/**
 * `settled-before`: the last settlement that changed this job had the same id, so an earlier call
 * committed it; a caller that adds rows of its own in the transaction adds none. `lease-lost`: not
 * the owner any more. `not-all-notified`: see `done`; the job keeps its lease. In these three cases
 * this call wrote nothing of the settlement, not even its effects.
 */
export type SettleOutcome = 'settled' | 'settled-before' | 'lease-lost' | 'not-all-notified';

/**
 * What a heartbeat found. `cancel-requested`: renewed, and an operator asked for the end of the job;
 * the owner gives it back at once, by `release`, `retry` or `wait`, and it ends as cancelled.
 */
export type JobHeartbeat = 'renewed' | 'cancel-requested' | 'lease-lost';

/**
 * What became of a cancel. `cancelled`: it was queued. `cancel-requested`: it is running, and its
 * owner reads so at its next heartbeat. `already-requested`: as before; the first reason is kept.
 * `not-open`: it has ended.
 */
export type CancelOutcome = 'cancelled' | 'cancel-requested' | 'already-requested' | 'not-open' | 'not-found';

/** Which jobs a list gives; filters combine. */
export interface JobFilter extends Page, TimeSpan {
  kind?: string | undefined;
  status?: JobStatus | undefined;
  changelistId?: string | undefined;
}

/** The open jobs, counted: cheap however many have ended. */
export interface QueueDepth {
  /** Queued and due. */
  due: number;
  /** Queued for later. */
  scheduled: number;
  /** Expired leases that nobody took back yet included. */
  running: number;
  /**
   * How long the job that is due longest has been due; 0 without one. Among very many a store may
   * look at the ones created first of each priority alone.
   */
  oldestDueMs: number;
}

/** How many jobs a queue holds, by status. */
export interface JobStats extends QueueDepth {
  completed: number;
  failed: number;
}

/**
 * The work queue (WQ-1..12, NOT-1, NOT-2). Every verb takes arrays; a call is one transaction, the
 * caller's own when `tx` is given. Results come in the order of the arguments. The store's clock
 * decides every instant.
 */
export interface JobStore<Tx> {
  readonly storeId: string;
  /** Rejects with `CHANGE_PURGING` (conflict) where the change of a job is being purged; nothing is stored then. */
  enqueue(jobs: readonly NewJob[], options?: { tx?: Tx | undefined }): Promise<readonly EnqueueResult[]>;
  /**
   * Takes due jobs in the order priority descending, created ascending, id ascending; expired
   * leases count as due (WQ-8). Counts the stage's attempt. Never exceeds the limit named
   * `running`, when one is set (WQ-10): jobs of every kind count, expired leases of every kind are
   * swept before. Two calls never return the same job.
   */
  claim(request: ClaimRequest): Promise<readonly ClaimedJob[]>;
  /**
   * Pushes the expiry to now + `leaseMs`. An expired lease that nobody took yet is still the
   * owner's to renew only if its row is `running` under it.
   */
  heartbeat(leases: readonly Lease[], leaseMs: number): Promise<readonly JobHeartbeat[]>;
  /**
   * Each under its lease. A lease that expired and that nobody took yet still settles. A lease that
   * ends its job twice in one call is `settled`, then `lease-lost`. What one settlement itself
   * causes rejects with a `TypeError`, with `ARTIFACT_NOT_PENDING` (see
   * `SettlementEffects.publish`), with the category `validation`, or with a code that ends in
   * `_CONSTRAINT`; everything else is an outage of the store. `leaseMs` is what is left of the
   * leases, about: the store gives up a connection that does not answer in good time.
   */
  settle(
    settlements: readonly Settlement[],
    options?: { tx?: Tx | undefined; leaseMs?: number | undefined },
  ): Promise<readonly SettleOutcome[]>;
  /**
   * Expired leases back to `queued`, `lostLeases` counted; safe from any number of processes at once
   * (WQ-8). One that is to be cancelled goes on to `failed` in the same write.
   */
  requeueExpired(options?: {
    limit?: number | undefined;
  }): Promise<readonly { id: string; kind: string; lostLeases: number }[]>;
  /**
   * `queued` to `failed` with result `{cancelled: true, reason}`, 1 to 1,024 characters, and no
   * dead letter (ruling R1). On a running job it sets `cancelReason`: the job ends so once its owner
   * gives it back or its lease expires; an end that its owner writes before counts (ruling R24).
   */
  cancel(ids: readonly string[], reason: string, options?: { tx?: Tx | undefined }): Promise<readonly CancelOutcome[]>;
  /**
   * Sets the priority of a queued job where it still is `expected`; takes effect within a second in
   * every process. `conflict`: it is another by now; `not-queued`: it runs or has ended.
   */
  setPriority(
    id: string,
    priority: { expected: number; next: number },
    options?: { tx?: Tx | undefined },
  ): Promise<'set' | 'conflict' | 'not-queued' | 'not-found'>;
  get(ids: readonly string[], options?: { tx?: Tx | undefined }): Promise<readonly (Job | null)[]>;
  /** Newest first by `createdAt`, which `since` and `until` compare. */
  list(filter: JobFilter): Promise<readonly Job[]>;
  /** The newest version submitted for a change, by number; null when there is none. */
  latestVersion(changelistId: string): Promise<Job | null>;
  /** Reads no ended job, so that it can be asked often. */
  depth(): Promise<QueueDepth>;
  /** All of them; reads every ended job. */
  stats(): Promise<JobStats>;
  /**
   * Deletes jobs that finished more than `olderThanMs` ago, with their mail rows (ruling R18); none
   * with a dead letter that is not closed, a completed one whose replay still lacks a required mail
   * among them, and none of a change under a legal hold (ruling R24). Gives the count.
   */
  prune(options: { olderThanMs: number; limit?: number | undefined }): Promise<number>;
  /** A hint that work may be due; polling stays the truth. Resolves to the function that ends the subscription. */
  subscribe?(listener: () => void): Promise<() => Promise<void>>;
}
