import { cutUtf8, maxMessageBytes } from '../telemetry/sanitize-error.js';
import type { DeadLetterNote, DeadLetterStatus, NewDeadLetter } from './dead-letter-store.js';
import type { Failure, Job } from './job.js';
import type { NewJob, Settlement } from './job-store.js';

/** The job after a move (ruling R1): changed fields, one transition more, an `updatedAt` that never falls (INV-1). */
function moved(job: Job, now: Date, changes: Partial<Job>): Job {
  return {
    ...job,
    ...changes,
    updatedAt: now > job.updatedAt ? now : job.updatedAt,
    transitionNo: job.transitionNo + 1,
  };
}

const noLease = { claimedBy: null, leaseExpiresAt: null } as const;
const noFailure = { firstFailureAt: null, lastFailureAt: null, lastFailure: null } as const;

/** `ms` after `instant`, in whole milliseconds. */
export function after(instant: Date, ms: number): Date {
  return new Date(Math.round(instant.getTime() + ms));
}

/** Attempts of a stage so far; 0 for one that never ran, whatever it is called. */
export function attemptsOf({ attempts }: Pick<Job, 'attempts'>, stage: string): number {
  return Object.hasOwn(attempts, stage) ? (attempts[stage] ?? 0) : 0;
}

function attemptsWith(job: Job, stage: string, change: number): Job['attempts'] {
  return { ...job.attempts, [stage]: Math.max(0, attemptsOf(job, stage) + change) };
}

/** A dead letter in the short form that the job's row keeps; its stack is sanitized already (ERR-7, ERR-8). */
export function lastFailureOf({ errorClass, category, lastStack }: NewDeadLetter): Failure {
  const [firstLine = ''] = lastStack.split(/\r?\n/, 1);
  return { code: errorClass, category, message: cutUtf8(firstLine, maxMessageBytes) };
}

/**
 * A row as it comes into being. `runAt` is the caller's instant or delay as the store's clock has
 * it; `wanted` is not copied.
 */
export function enqueuedJob(wanted: NewJob, id: string, now: Date, runAt: Date): Job {
  const ended = wanted.completedWith !== undefined;
  return {
    id,
    kind: wanted.kind,
    payload: wanted.payload,
    status: ended ? 'completed' : 'queued',
    stage: wanted.stage,
    priority: wanted.priority ?? 0,
    runAt,
    createdAt: now,
    updatedAt: now,
    startedAt: null,
    finishedAt: ended ? now : null,
    idempotencyKey: wanted.idempotencyKey,
    changelistId: wanted.changelistId ?? null,
    reviewVersion: wanted.reviewVersion ?? null,
    claimedBy: null,
    leaseExpiresAt: null,
    attempts: {},
    lostLeases: 0,
    outputs: {},
    transitionNo: 1,
    firstFailureAt: null,
    lastFailureAt: null,
    lastFailure: null,
    waitingFor: null,
    cancelReason: null,
    result: wanted.completedWith ?? null,
    replayOf: null,
    traceparent: wanted.traceparent ?? null,
  };
}

/** queued -> running (WQ-4). */
export function claimedJob(job: Job, now: Date, owner: string, leaseMs: number): Job {
  return moved(job, now, {
    status: 'running',
    claimedBy: owner,
    leaseExpiresAt: after(now, leaseMs),
    startedAt: now,
    waitingFor: null,
    attempts: attemptsWith(job, job.stage, 1),
  });
}

/** running -> queued by expiry (WQ-8, ruling R11), and on to failed where a cancel was asked for. */
export function expiredJob(job: Job, now: Date): Job {
  return obeyCancel(moved(job, now, { ...noLease, status: 'queued', lostLeases: job.lostLeases + 1 }), now);
}

/** queued -> failed by cancel (ruling R1). */
export function cancelledJob(job: Job, now: Date, reason: string): Job {
  return moved(job, now, {
    ...noLease,
    status: 'failed',
    finishedAt: now,
    waitingFor: null,
    cancelReason: null,
    result: { cancelled: true, reason },
  });
}

/** queued -> failed in the same write, where a cancel was asked for while the job ran (ruling R24). */
function obeyCancel(queued: Job, now: Date): Job {
  return queued.cancelReason === null ? queued : cancelledJob(queued, now, queued.cancelReason);
}

/** failed -> queued by replay (ERR-9). A full restart forgets every stage's outputs and attempts. */
export function replayedJob(
  job: Job,
  now: Date,
  replay: { stage: string; fromStart: boolean; delayMs: number; replayOf: Job['replayOf'] },
): Job {
  return moved(job, now, {
    ...noLease,
    ...noFailure,
    status: 'queued',
    stage: replay.stage,
    runAt: after(now, replay.delayMs),
    finishedAt: null,
    result: null,
    waitingFor: null,
    lostLeases: 0,
    attempts: replay.fromStart ? {} : { ...job.attempts, [replay.stage]: 0 },
    outputs: replay.fromStart ? {} : job.outputs,
    replayOf: replay.replayOf,
  });
}

/** The id of a settlement that keeps its lease; null for others and for one without an id. */
export function settlementId(settlement: Settlement): string | null {
  const keeps = settlement.kind === 'advance' || settlement.kind === 'checkpoint';
  return keeps ? (settlement.id ?? null) : null;
}

/** True for an end that asks for its row to be deleted. */
export function deletesRow(settlement: Settlement): boolean {
  return settlement.kind === 'done' && settlement.deleteRow === true;
}

/** True where a settlement leaves no row behind: a job that replays a dead letter is kept for whoever closes it. */
export function leavesNoRow(job: Pick<Job, 'replayOf'>, settlement: Settlement): boolean {
  return deletesRow(settlement) && job.replayOf === null;
}

/**
 * What the owner's settlement makes of a running job, outputs merged. One that is given back although
 * a cancel was asked for ends as cancelled.
 */
export function settledJob(held: Job, settlement: Settlement, now: Date): Job {
  const job = moveBySettlement(held, settlement, now);
  return job.status === 'queued' ? obeyCancel(job, now) : job;
}

function moveBySettlement(held: Job, settlement: Settlement, now: Date): Job {
  const job = { ...held, outputs: { ...held.outputs, ...settlement.effects?.outputs } };
  switch (settlement.kind) {
    case 'advance':
      return moved(job, now, {
        ...noFailure,
        stage: settlement.stage,
        attempts: attemptsWith(job, settlement.stage, 1),
        lostLeases: 0,
        leaseExpiresAt: after(now, settlement.leaseMs),
      });
    case 'checkpoint':
      // Progress, not a transition.
      return {
        ...job,
        updatedAt: now > job.updatedAt ? now : job.updatedAt,
        leaseExpiresAt: after(now, settlement.leaseMs),
      };
    case 'done':
      return moved(job, now, {
        ...noLease,
        ...noFailure,
        status: 'completed',
        finishedAt: now,
        cancelReason: null,
        lostLeases: 0,
        result: settlement.result,
      });
    case 'retry':
      return moved(job, now, {
        ...noLease,
        status: 'queued',
        runAt: after(now, settlement.delayMs),
        firstFailureAt: job.firstFailureAt ?? now,
        lastFailureAt: now,
        lastFailure: settlement.failure,
      });
    case 'wait':
      return moved(job, now, {
        ...noLease,
        status: 'queued',
        runAt: after(now, settlement.delayMs),
        waitingFor: settlement.reason,
        attempts: attemptsWith(job, job.stage, -1),
      });
    case 'release':
      return moved(job, now, { ...noLease, status: 'queued', runAt: now, attempts: attemptsWith(job, job.stage, -1) });
    case 'fail':
      return moved(job, now, {
        ...noLease,
        status: 'failed',
        finishedAt: now,
        cancelReason: null,
        firstFailureAt: job.firstFailureAt ?? now,
        lastFailureAt: now,
        lastFailure: settlement.failure,
        result: settlement.result ?? null,
      });
    case 'dead-letter':
      return moved(job, now, {
        ...noLease,
        status: 'failed',
        finishedAt: now,
        cancelReason: null,
        firstFailureAt: job.firstFailureAt ?? now,
        lastFailureAt: now,
        lastFailure: lastFailureOf(settlement.deadLetter),
      });
  }
}

/** What the end of a replay makes of its dead letter, and the note that says so. */
export interface ReplayEnd {
  status: Extract<DeadLetterStatus, 'resolved' | 'failed-again' | 'ignored' | 'open' | 'triaged'>;
  text: string;
}

/**
 * What the cancel of a job makes of the letter whose replay it is: it waits for an operator again,
 * `triaged` where somebody wrote down a cause or a remediation.
 */
export function endCancelledReplay(notes: readonly Pick<DeadLetterNote, 'kind'>[], reason: string): ReplayEnd {
  const isTriaged = notes.some(({ kind }) => kind === 'triage' || kind === 'evidence');
  return { status: isTriaged ? 'triaged' : 'open', text: `The replay was cancelled: ${reason}` };
}

/** The reason, where this settlement ends its job because a cancel was asked for; else null. */
function cancelReasonOf(held: Job, settlement: Settlement): string | null {
  const givesBack = settlement.kind === 'retry' || settlement.kind === 'wait' || settlement.kind === 'release';
  return givesBack ? held.cancelReason : null;
}

/**
 * What a settlement makes of the letter whose replay the job is; `held` is the job before it, `notes`
 * are the letter's. Null while the run goes on, and where `lacksMail` is true of an end that went
 * well: a letter is resolved only when every required recipient was notified (ERR-9, ruling R17).
 */
export function endReplay(
  held: Job,
  settlement: Settlement,
  { lacksMail, notes }: { lacksMail: boolean; notes: readonly Pick<DeadLetterNote, 'kind'>[] },
): ReplayEnd | null {
  const cancelReason = cancelReasonOf(held, settlement);
  if (cancelReason !== null) return endCancelledReplay(notes, cancelReason);
  switch (settlement.kind) {
    case 'done':
      return lacksMail ? null : { status: 'resolved', text: 'The replay completed; no required mail is missing.' };
    case 'dead-letter':
      return { status: 'failed-again', text: `The replay failed again: ${settlement.deadLetter.errorClass}.` };
    case 'fail':
      return { status: 'ignored', text: `The replay ended without a result: ${settlement.failure.code}.` };
    default:
      return null;
  }
}

/** True for a letter that waits for an operator, and may be replayed. */
export function isUnresolved(status: DeadLetterStatus): boolean {
  return status === 'open' || status === 'triaged';
}

/** True for a letter that needs nobody any more. */
export function isClosed(status: DeadLetterStatus): boolean {
  return status === 'resolved' || status === 'ignored' || status === 'failed-again';
}
