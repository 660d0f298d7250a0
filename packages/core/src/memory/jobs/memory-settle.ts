import { pipelineActor } from '../../foundation/actor.js';
import { describeCause } from '../../stores/failure-cause.js';
import type { Job } from '../../stores/job.js';
import type { Settlement, SettleOutcome } from '../../stores/job-store.js';
import { attemptsOf, endReplay, leavesNoRow, settledJob, settlementId } from '../../stores/job-transitions.js';
import { publishArtifacts } from '../artifacts/memory-artifact-manifest.js';
import { addOutboxRows } from '../outbox/memory-notify-outbox.js';
import { addSamples } from '../review/memory-sample-store.js';
import type { MemorySession } from '../shared/memory-database.js';
import { changeLetter } from './memory-dead-letter-store.js';
import { lacksMail, putJob, removeJob } from './memory-job-rows.js';

function addDeadLetter(session: MemorySession, job: Job, settlement: Settlement & { kind: 'dead-letter' }): void {
  const id = session.newId();
  const cause = describeCause(settlement.deadLetter);
  session.tables.deadLetters.put(id, {
    ...structuredClone(settlement.deadLetter),
    id,
    jobId: job.id,
    kind: job.kind,
    changelistId: job.changelistId,
    stage: job.stage,
    causeKey: cause.key,
    cause: cause.message,
    attempts: attemptsOf(job, job.stage),
    firstFailureAt: job.firstFailureAt ?? session.now,
    lastFailureAt: session.now,
    createdAt: session.now,
    updatedAt: session.now,
    status: 'open',
    replays: 0,
    replayOf: job.replayOf?.deadLetterId ?? null,
    notes: [],
  });
}

/** The letter whose replay this run is, where the settlement ends it (ERR-9). */
function endReplayOf(session: MemorySession, held: Job, job: Job, settlement: Settlement): void {
  const letter = session.tables.deadLetters.get(job.replayOf?.deadLetterId ?? '');
  if (letter?.status !== 'replaying') return;
  const isMailMissing = settlement.kind === 'done' && lacksMail(session, job);
  const end = endReplay(held, settlement, { lacksMail: isMailMissing, notes: letter.notes });
  if (end === null) return;
  changeLetter(session, letter, { status: end.status }, pipelineActor, [{ kind: 'system', text: end.text }]);
}

/** A required row that the settlement itself would add cannot have been notified yet (NOT-10). */
function addsUnsentMail(session: MemorySession, settlement: Settlement): boolean {
  const added = (settlement.effects?.outbox ?? []).filter((row) => row.required);
  return added.some(
    (row) =>
      session.tables.outboxKeys.get(JSON.stringify([row.changelistId, row.recipientKey, row.reviewVersion])) ===
      undefined,
  );
}

/**
 * Settles one job under its fence (INV-3). Throws, and so undoes the whole call, when an artifact
 * cannot be published any more.
 */
export function settleOne(session: MemorySession, settlement: Settlement): SettleOutcome {
  const { lease, effects } = settlement;
  const held = session.tables.jobs.get(lease.jobId);
  if (
    held === undefined ||
    held.job.status !== 'running' ||
    held.job.claimedBy !== lease.owner ||
    held.token !== lease.token
  )
    return 'lease-lost';
  const id = settlementId(settlement);
  if (id !== null && held.settlementId === id) return 'settled-before';
  if (
    settlement.kind === 'done' &&
    settlement.requireNotified &&
    (lacksMail(session, held.job) || addsUnsentMail(session, settlement))
  ) {
    return 'not-all-notified';
  }
  publishArtifacts(session, effects?.publish ?? [], held.job.id);
  addOutboxRows(session, effects?.outbox ?? []);
  if (effects?.samples !== undefined) addSamples(session, effects.samples);
  if (leavesNoRow(held.job, settlement)) {
    removeJob(session, held.job);
    return 'settled';
  }
  const job = settledJob(held.job, structuredClone(settlement), session.now);
  putJob(session, { job, token: job.status === 'running' ? held.token : null, settlementId: id });
  if (settlement.kind === 'dead-letter') addDeadLetter(session, job, settlement);
  if (job.replayOf !== null) endReplayOf(session, held.job, job, settlement);
  if (job.status === 'queued' || effects?.outbox?.length) session.wake();
  return 'settled';
}
