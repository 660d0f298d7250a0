import type { FailureCategory } from '../foundation/errors.js';
import type { JsonObject, JsonValue } from '../foundation/json.js';

/** The four states of the specification (WQ-1). A delayed or retried job is `queued` with a later `runAt`. */
export type JobStatus = 'queued' | 'running' | 'completed' | 'failed';

/**
 * What a stage made, by name: `fetch.redacted`, `llm.reply.3`, `llm.review`. The value is an
 * artifact's id; of `fetch.content` the change's content digest.
 */
export type Outputs = Readonly<Record<string, string>>;

/** A failure as it may rest in a row: sanitized, no stack, no body (ERR-8). */
export interface Failure {
  /** Stable class such as `NETWORK_TIMEOUT`. */
  code: string;
  category: FailureCategory;
  /** Redacted and cut to 1,024 bytes. */
  message: string;
}

/** A job as a store shows it. All instants are the database's, UTC (INV-5, INV-6). */
export interface Job {
  id: string;
  /** `review`, or a kind the host registered. */
  kind: string;
  payload: JsonValue;
  status: JobStatus;
  /** The stage that runs or will run next. */
  stage: string;
  /** Higher runs first. Default 0. */
  priority: number;
  runAt: Date;
  createdAt: Date;
  updatedAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  /** The caller's, unique in the store (NOT-1). */
  idempotencyKey: string;
  /** `<serverId>/<number>` (INT-2); null for kinds that review nothing. */
  changelistId: string | null;
  reviewVersion: number | null;
  claimedBy: string | null;
  leaseExpiresAt: Date | null;
  /** Attempts started, by stage (ERR-5). */
  attempts: Readonly<Record<string, number>>;
  /** Leases that expired under this job since its stage last ended well (ruling R11). */
  lostLeases: number;
  outputs: Outputs;
  /** Grows by one at each transition (INV-1). */
  transitionNo: number;
  /**
   * First and last failure of the stage under way, of a failed job the one it died of; null once
   * the stage ends well and after a replay.
   */
  firstFailureAt: Date | null;
  lastFailureAt: Date | null;
  /**
   * What the last `retry` carried; of a dead-lettered job the letter's error class, category and
   * first line of its stack, cut to 1,024 bytes (ERR-7). The whole of it is in the dead letter.
   */
  lastFailure: Failure | null;
  /** Why the job waits without spending attempts (ruling R9); null when it does not. */
  waitingFor: string | null;
  /**
   * Why its owner is to give a running job up at its next heartbeat; null where nobody asked, and
   * once the job is not running any more (ruling R24).
   */
  cancelReason: string | null;
  /** Small facts of the end: counts, a skip reason. Never code or findings (EGR-5). */
  result: JsonObject | null;
  /** The dead letter whose replay this run is (ERR-10). */
  replayOf: { deadLetterId: string; errorClass: string } | null;
  /** The W3C `traceparent` of the span that stored the job, through retries and replays; null without one (OPS-6). */
  traceparent: string | null;
}

/** Fences every owned write: 0 rows matched is `lease-lost` (INV-3). */
export interface Lease {
  jobId: string;
  /** Unique per process start. */
  owner: string;
  /** Random per claim, made by the worker. */
  token: string;
}
