import type { z } from 'zod';
import type { JsonObject } from '../../foundation/json.js';
import type { ContentLevel, Destination } from '../../foundation/outbound.js';
import type { Failure, Job, Outputs } from '../../stores/job.js';
import type { SettlementEffects } from '../../stores/job-store.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Span } from '../../telemetry/telemetry.js';

/** What a stage's run is given. */
export interface StageContext<Payload> {
  /** As claimed or advanced: outputs of the stages before are in `job.outputs`. */
  job: Job;
  payload: Payload;
  /** Aborts when the lease is lost or the worker stops; pass it to everything that waits. */
  signal: AbortSignal;
  logger: Logger;
  /** Of this run of the stage: the parent of spans that the stage starts itself. Left out: none. */
  span?: Span | undefined;
  /** Commits progress inside the stage: what it names is not paid for twice after a crash. Throws `LEASE_LOST`. */
  checkpoint(effects: SettlementEffects): Promise<void>;
  /** All outputs so far, checkpoints included. */
  outputs(): Outputs;
  /** Small counts for whoever watches; never content. */
  report(facts: JsonObject): void;
}

/**
 * - `next`: on to the following stage under the same lease; after the last one this is `done` with an empty result.
 * - `done`: the job ends well here, whatever stages follow.
 * - `wait`: look again later, no attempt spent (ruling R9).
 * - `fail`: the job ends `failed` with this code, at once and for good, and nobody need act: no
 *   dead letter, no page, the row may be pruned
 * (ruling R1). For work that something newer overtook. The message is redacted and cut to 1,024
 * bytes before it is stored. A failure is thrown.
 */
export type StageOutcome =
  | { kind: 'next'; effects?: SettlementEffects | undefined }
  | { kind: 'done'; result: JsonObject; requireNotified?: boolean | undefined; effects?: SettlementEffects | undefined }
  | { kind: 'wait'; delayMs: number; reason: string }
  | { kind: 'fail'; failure: Failure; result?: JsonObject | undefined; effects?: SettlementEffects | undefined };

/** One step of a job, with its own attempt budget (ERR-5). Must be safe to run again (INV-2). */
export interface Stage<Payload> {
  name: string;
  run(context: StageContext<Payload>): Promise<StageOutcome>;
}

/** Where the jobs of a kind send bytes, for dry runs. Sending passes `createOutboundGate`. */
export interface DeclaredDestination {
  destination: Destination;
  /** Host and port; null where it is known only when something is sent. */
  host: string | null;
  /** The most of a review that goes there. */
  content: ContentLevel;
  /** What is sent, in a sentence. */
  sends: string;
}

/** A kind of job: stages as data. Reviews are one kind; a host registers its own beside it. */
export interface JobKind<Payload> {
  kind: string;
  /** Checked before the first stage runs; a payload that does not fit is dead-lettered as `SCHEMA_INVALID`. */
  payload: z.ZodType<Payload>;
  /** At least one; names are unique. */
  stages: readonly [Stage<Payload>, ...Stage<Payload>[]];
  /**
   * True deletes the row of a job as it completes: for work that nobody asks about later.
   * Deduplication by its idempotency key ends there, so an enqueue repeated after its answer was
   * lost may run the job again. An end with effects or with `requireNotified` keeps its row.
   * Default false.
   */
  deleteCompleted?: boolean | undefined;
  /** Shown by dry runs. Default: nothing leaves. */
  sendsTo?: readonly DeclaredDestination[] | undefined;
}

/** How one run of a stage ended. */
export type StageEnd = 'next' | 'done' | 'wait' | 'failed' | 'retry' | 'dead-letter' | 'release' | 'lease-lost';

/** What happened in a stage, for progress displays. */
export type StageEvent =
  | { type: 'stage.started' }
  | { type: 'stage.reported'; facts: JsonObject }
  | { type: 'stage.ended'; outcome: StageEnd; ms: number; code?: string | undefined };

/** The same with the job it happened to. */
export type JobEvent = StageEvent & { jobId: string; kind: string; stage: string; attempt: number };

/** How one run of a stage ended, as `runDue` gives it. */
export interface JobOutcome {
  jobId: string;
  kind: string;
  stage: string;
  attempt: number;
  /** `next`: the job went on to its following stage, whose own outcome follows. */
  outcome: StageEnd;
  /** The error's code where it failed, waits for an outage or lost its lease. */
  code?: string | undefined;
}

/** What `runDue` runs: everything that is due now, until nothing is. */
export interface RunDueOptions {
  until?: 'idle' | undefined;
}
