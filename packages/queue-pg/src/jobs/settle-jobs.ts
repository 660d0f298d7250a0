import {
  endReplay,
  type Instant,
  type JobRow,
  leavesNoRow,
  pipelineActor,
  settledJob,
  settlementId,
  toDate,
  toJob,
  withNotes,
} from '@criticizer/core/internal';
import type { DeadLetterNote, Job, SampledCounts, Settlement, SettleOutcome } from '@criticizer/core/ports';
import { publishArtifacts } from '../artifacts/publish-artifacts.js';
import { addOutboxRows, lacksNotification } from '../outbox/outbox-row.js';
import { addSamples } from '../review/add-samples.js';
import { fencesOf } from '../shared/fences.js';
import { epochMs } from '../shared/instants.js';
import { asUuid, type PgSession } from '../shared/pg-session.js';
import { addDeadLetters, type FailingJob } from './dead-letter-row.js';
import { jobColumns } from './job-row.js';

/** One call of `settle`. */
export interface SettleCall {
  /** Marks the rows it changes where a settlement has no id; the same however often the call is run. */
  id: string;
  /** True when an earlier run of this call may have committed. */
  again: boolean;
  /** See `CallOptions`. */
  leaseMs?: number | undefined;
  idTail(): string;
  /** False where the stores have no outbox. */
  hasMails: boolean;
}

/** A row of `work_queue`, with what only its settlement reads. */
interface HeldRow extends JobRow {
  last_settlement: string | null;
}

/** A row under its lock: as it was found, and the job as the settlements so far have made it. */
interface HeldJob {
  row: HeldRow;
  job: Job;
  /** Null once the lease has ended. */
  token: string | null;
}

/** As a CASE, which no index serves; see the functions of the claim. */
const isRunning = `CASE w.status WHEN 'running' THEN true END`;

/** Locks the rows that the leases still own, in the order of ids, so that two calls cannot deadlock. */
async function lockOwned(
  session: PgSession,
  settlements: readonly Settlement[],
): Promise<{ held: Map<string, HeldJob>; now: Date }> {
  const rows = await session.all<HeldRow & { now_at: Instant }>(
    `SELECT ${jobColumns}, w.last_settlement::text AS last_settlement, ${epochMs('{now}')} AS now_at FROM {schema}.work_queue AS w WHERE ${isRunning} AND (w.id, w.claimed_by, w.claim_token)
      IN (SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[])) ORDER BY w.id FOR UPDATE OF w`,
    ...fencesOf(settlements.map(({ lease }) => lease)),
  );
  const now = rows[0] === undefined ? new Date(0) : toDate(rows[0].now_at);
  return { held: new Map(rows.map((row) => [row.id, { row, job: toJob(row), token: row.claim_token }])), now };
}

/** What marks a row as changed by this settlement: the settlement's own id, else the call's. */
const markOf = (settlement: Settlement, callId: string): string => settlementId(settlement) ?? callId;

/** The jobs that an earlier run of this call has changed: it committed, though its answer was lost. */
async function readMarked(
  session: PgSession,
  settlements: readonly Settlement[],
  callId: string,
): Promise<ReadonlySet<string>> {
  const rows = await session.all<{ id: string }>(
    `SELECT id::text AS id FROM {schema}.work_queue
      WHERE (id, last_settlement) IN (SELECT * FROM unnest($1::uuid[], $2::uuid[]))`,
    settlements.map(({ lease }) => asUuid(lease.jobId)),
    settlements.map((settlement) => markOf(settlement, callId)),
  );
  return new Set(rows.map(({ id }) => id));
}

// The rows are locked and were found by their fence; it is named again so that no other writer of
// this statement can forget it (INV-3).
const write = `UPDATE {schema}.work_queue AS w SET status = s.status, ready = (s.status = 'queued' AND s.run_at <= s.now_at), stage = s.stage,
    run_at = s.run_at, finished_at = s.finished_at, claimed_by = s.claimed_by, claim_token = s.claim_token,
    lease_expires_at = s.lease_expires_at, attempts = s.attempts::jsonb, lost_leases = s.lost_leases, outputs = s.outputs::json,
    transition_no = s.transition_no, first_failure_at = s.first_failure_at, last_failure_at = s.last_failure_at,
    last_failure = s.last_failure::json, waiting_for = s.waiting_for, cancel_reason = s.cancel_reason, result = s.result::json, updated_at = s.updated_at,
    last_settlement = s.settlement
  FROM json_to_recordset($1::json) AS s(id uuid, owner text, token text, now_at timestamptz, status text, stage text, run_at timestamptz,
    finished_at timestamptz, claimed_by text, claim_token text, lease_expires_at timestamptz, attempts text, lost_leases int, outputs text,
    transition_no int, first_failure_at timestamptz, last_failure_at timestamptz, last_failure text, waiting_for text, cancel_reason text, result text,
    updated_at timestamptz, settlement uuid)
  WHERE w.id = s.id AND w.claimed_by = s.owner AND w.claim_token = s.token AND ${isRunning}`;

const remove = `DELETE FROM {schema}.work_queue WHERE id = $1 AND claimed_by = $2 AND claim_token = $3 AND status = 'running'`;

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

function toInput({ job, token }: HeldJob, settlement: Settlement, callId: string, now: Date) {
  const { lease } = settlement;
  return {
    id: job.id,
    owner: lease.owner,
    token: lease.token,
    now_at: now,
    status: job.status,
    stage: job.stage,
    run_at: job.runAt,
    finished_at: job.finishedAt,
    claimed_by: job.claimedBy,
    claim_token: token,
    lease_expires_at: job.leaseExpiresAt,
    attempts: json(job.attempts),
    lost_leases: job.lostLeases,
    outputs: json(job.outputs),
    transition_no: job.transitionNo,
    first_failure_at: job.firstFailureAt,
    last_failure_at: job.lastFailureAt,
    last_failure: json(job.lastFailure),
    waiting_for: job.waitingFor,
    cancel_reason: job.cancelReason,
    result: json(job.result),
    updated_at: job.updatedAt,
    settlement: markOf(settlement, callId),
  };
}

/** A run of a job that replays a letter, ended by this settlement. */
interface EndedRun {
  held: Job;
  settlement: Settlement;
  lacksMail: boolean;
}

/** Moves the letters whose replays end now (ERR-9). Their jobs are locked: nobody else moves them. */
async function endReplays(session: PgSession, ends: ReadonlyMap<string, EndedRun>, now: Date): Promise<void> {
  for (const [letterId, { held, settlement, lacksMail }] of ends) {
    const letter = await session.first<{ notes: string }>(
      `SELECT notes::text AS notes FROM {schema}.dead_letters WHERE id = $1 AND status = 'replaying' FOR UPDATE`,
      letterId,
    );
    const notes = JSON.parse(letter?.notes ?? '[]') as Pick<DeadLetterNote, 'kind'>[];
    const end = endReplay(held, settlement, { lacksMail, notes });
    if (letter === undefined || end === null) continue;
    await session.run(
      `UPDATE {schema}.dead_letters SET status = $2, notes = $3::json, updated_at = greatest(updated_at, {now}) WHERE id = $1`,
      letterId,
      end.status,
      withNotes(letter, now.getTime(), pipelineActor, [{ kind: 'system', text: end.text }]),
    );
  }
}

// long: one settlement after the other, under the locks of one call
/** Each settlement with its effects, or nothing of it (INV-3, NOT-10). Needs a transaction. */
export async function settleJobs(
  session: PgSession,
  settlements: readonly Settlement[],
  { id: callId, again, idTail, hasMails }: SettleCall,
): Promise<readonly SettleOutcome[]> {
  const { held, now } = await lockOwned(session, settlements);
  // After the lock, for which an earlier run that is still committing may have made us wait.
  const marked = again ? await readMarked(session, settlements, callId) : new Set<string>();
  const written = new Map<string, Settlement>();
  const letters: FailingJob[] = [];
  const replays = new Map<string, EndedRun>();
  const outcomes: SettleOutcome[] = [];
  const samples: SampledCounts[] = [];
  for (const settlement of settlements) {
    const { lease, effects } = settlement;
    const id = asUuid(lease.jobId);
    const before = held.get(id);
    if (marked.has(id)) {
      outcomes.push('settled');
      continue;
    }
    if (before === undefined || before.job.claimedBy !== lease.owner || before.token !== lease.token) {
      outcomes.push('lease-lost');
      continue;
    }
    if (settlementId(settlement) !== null && before.row.last_settlement === settlementId(settlement)) {
      outcomes.push('settled-before');
      continue;
    }
    const mails = effects?.outbox ?? [];
    if (
      settlement.kind === 'done' &&
      settlement.requireNotified &&
      (await lacksNotification(session, before.row, mails))
    ) {
      outcomes.push('not-all-notified');
      continue;
    }
    outcomes.push('settled');
    if (leavesNoRow(before.job, settlement)) {
      held.delete(id);
      written.delete(id);
      await session.run(remove, id, lease.owner, lease.token);
      continue;
    }
    await publishArtifacts(session, effects?.publish ?? [], id);
    await addOutboxRows(session, mails, idTail);
    if (effects?.samples !== undefined) samples.push(effects.samples);
    const job = settledJob(before.job, settlement, now);
    if (settlement.kind === 'dead-letter') letters.push({ job, letter: settlement.deadLetter });
    if (job.replayOf !== null) {
      const lacksMail = settlement.kind === 'done' && hasMails && (await lacksNotification(session, before.row));
      if (job.status !== 'running' && job.status !== 'queued')
        replays.set(job.replayOf.deadLetterId, { held: before.job, settlement, lacksMail });
    }
    const row = { ...before.row, last_settlement: settlementId(settlement) };
    held.set(id, { row, job, token: job.status === 'running' ? lease.token : null });
    written.set(id, settlement);
  }
  const input = [...written].flatMap(([id, settlement]) => {
    const after = held.get(id);
    return after === undefined ? [] : [toInput(after, settlement, callId, now)];
  });
  if (input.length > 0) await session.run(write, JSON.stringify(input));
  await addDeadLetters(session, letters, now, idTail);
  await endReplays(session, replays, now);
  await addSamples(session, samples); // last: every review of a variant waits for these rows
  return outcomes;
}
