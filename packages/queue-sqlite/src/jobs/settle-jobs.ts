import { settledJob, settlementId, toJob } from '@criticizer/core/internal';
import type { Job, Settlement, SettlementEffects, SettleOutcome } from '@criticizer/core/ports';
import { publishArtifacts } from '../artifacts/publish-artifacts.js';
import { addOutboxRow, lacksNotification } from '../outbox/outbox-row.js';
import { addSamples } from '../review/add-samples.js';
import type { SqliteSession } from '../shared/sqlite-session.js';
import { addDeadLetter, endReplayOf } from './dead-letter-row.js';
import type { JobRow } from './job-row.js';

const update = `UPDATE work_queue SET status = ?, ready = ?, stage = ?, run_at = ?, finished_at = ?, claimed_by = ?, claim_token = ?,
  lease_expires_at = ?, attempts = ?, lost_leases = ?, outputs = ?, first_failure_at = ?, last_failure_at = ?, last_failure = ?,
  waiting_for = ?, cancel_reason = ?, result = ?, transition_no = ?, updated_at = ?, last_settlement = ?
  WHERE id = ? AND claimed_by = ? AND claim_token = ? AND status = 'running'`;

const ms = (instant: Date | null): number | null => instant?.getTime() ?? null;
const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

function store(session: SqliteSession, job: Job, settlement: Settlement): void {
  const { jobId, owner, token } = settlement.lease;
  session.run(
    update,
    job.status,
    job.status === 'queued' && job.runAt.getTime() <= session.nowMs ? 1 : 0,
    job.stage,
    job.runAt.getTime(),
    ms(job.finishedAt),
    job.claimedBy,
    job.status === 'running' ? token : null,
    ms(job.leaseExpiresAt),
    JSON.stringify(job.attempts),
    job.lostLeases,
    JSON.stringify(job.outputs),
    ms(job.firstFailureAt),
    ms(job.lastFailureAt),
    json(job.lastFailure),
    job.waitingFor,
    job.cancelReason,
    json(job.result),
    job.transitionNo,
    job.updatedAt.getTime(),
    settlementId(settlement),
    jobId,
    owner,
    token,
  );
}

const fence = `id = ? AND claimed_by = ? AND claim_token = ? AND status = 'running'`;

const complete = `UPDATE work_queue SET status = 'completed', finished_at = ?, result = ?, claimed_by = NULL, claim_token = NULL,
  lease_expires_at = NULL, lost_leases = 0, first_failure_at = NULL, last_failure_at = NULL, last_failure = NULL, cancel_reason = NULL,
  transition_no = transition_no + 1, updated_at = max(updated_at, ?) WHERE ${fence} AND replay_of IS NULL`;

// A replay is kept for whoever closes its letter.
const remove = `DELETE FROM work_queue WHERE ${fence} AND replay_of IS NULL`;

/** An end that needs no look at its row, in one statement; true when it took. */
function settlePlainly(session: SqliteSession, settlement: Settlement): boolean {
  if (settlement.kind !== 'done' || settlement.requireNotified || settlement.effects !== undefined) return false;
  const { jobId, owner, token } = settlement.lease;
  if (settlement.deleteRow === true) return session.run(remove, jobId, owner, token) === 1;
  return (
    session.run(complete, session.nowMs, JSON.stringify(settlement.result), session.nowMs, jobId, owner, token) === 1
  );
}

function applyEffects(
  session: SqliteSession,
  row: JobRow,
  effects: SettlementEffects,
  rowId: (nowMs: number) => string,
): void {
  publishArtifacts(session, effects.publish ?? [], row.id);
  for (const mail of effects.outbox ?? []) addOutboxRow(session, mail, rowId);
  if (effects.samples !== undefined) addSamples(session, effects.samples);
}

class NotAllNotified extends Error {}

/** What a settlement needs of its store. */
interface SettleParts {
  rowId(nowMs: number): string;
  hasMails: boolean;
}

function settleOne(session: SqliteSession, settlement: Settlement, { rowId, hasMails }: SettleParts): SettleOutcome {
  const { jobId, owner, token } = settlement.lease;
  const row = session.first<JobRow>(`SELECT * FROM work_queue WHERE ${fence}`, jobId, owner, token);
  if (row === undefined) return 'lease-lost';
  const id = settlementId(settlement);
  if (id !== null && row.last_settlement === id) return 'settled-before';
  if (settlement.effects !== undefined) applyEffects(session, row, settlement.effects, rowId);
  if (settlement.kind === 'done' && settlement.requireNotified && lacksNotification(session, row))
    throw new NotAllNotified();
  const held = toJob(row);
  const job = settledJob(held, settlement, new Date(session.nowMs));
  store(session, job, settlement);
  if (settlement.kind === 'dead-letter') addDeadLetter(session, job, settlement.deadLetter, rowId(session.nowMs));
  if (job.replayOf !== null)
    endReplayOf(session, held, settlement, settlement.kind === 'done' && hasMails && lacksNotification(session, row));
  return 'settled';
}

/** Each settlement with its effects, or nothing of it (INV-3, NOT-10). */
export function settleEach(
  session: SqliteSession,
  settlements: readonly Settlement[],
  parts: SettleParts,
): readonly SettleOutcome[] {
  return settlements.map((settlement) => {
    if (settlePlainly(session, settlement)) return 'settled';
    try {
      return session.savepoint(() => settleOne(session, settlement, parts));
    } catch (error) {
      if (error instanceof NotAllNotified) return 'not-all-notified';
      throw error;
    }
  });
}

const removeListed = `DELETE FROM work_queue WHERE id IN (SELECT value FROM json_each(?)) AND claimed_by = ? AND claim_token = ?
  AND status = 'running' AND replay_of IS NULL`;

/** Not every row was there to be deleted: `settleEach` tells which, once what was deleted is undone. */
export class NotAllRemoved extends Error {}

/** Settlements that all delete their rows, in one statement for each claim they come from. Throws `NotAllRemoved`. */
export function removeJobs(session: SqliteSession, settlements: readonly Settlement[]): readonly SettleOutcome[] {
  const byToken = new Map<string, { owner: string; ids: string[] }>();
  for (const { lease } of settlements) {
    const same = byToken.get(lease.token);
    if (same === undefined) byToken.set(lease.token, { owner: lease.owner, ids: [lease.jobId] });
    else if (same.owner !== lease.owner)
      throw new NotAllRemoved(); // a claim has one owner: not both hold its token
    else same.ids.push(lease.jobId);
  }
  for (const [token, { owner, ids }] of byToken) {
    if (session.run(removeListed, JSON.stringify(ids), owner, token) !== ids.length) throw new NotAllRemoved();
  }
  return settlements.map(() => 'settled');
}
