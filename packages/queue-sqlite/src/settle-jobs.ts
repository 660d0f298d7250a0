import type { Job, Settlement, SettlementEffects, SettleOutcome } from '@criticizer/core';
import { lastFailureOf } from '@criticizer/core/store-authors';
import { addDeadLetter } from './dead-letter-row.js';
import { attemptsOf, countAttempt, type JobRow, wholeMs } from './job-row.js';
import { addOutboxRow, lacksNotification } from './outbox-row.js';
import { publishArtifacts } from './publish-artifacts.js';
import type { SqliteSession } from './sqlite-session.js';

/** The columns a settlement may change. */
type Changed = Pick<
  JobRow,
  | 'status'
  | 'stage'
  | 'run_at'
  | 'finished_at'
  | 'lease_expires_at'
  | 'attempts'
  | 'lost_leases'
  | 'outputs'
  | 'first_failure_at'
  | 'last_failure_at'
  | 'last_failure'
  | 'waiting_for'
  | 'result'
>;

const unfailed = { first_failure_at: null, last_failure_at: null, last_failure: null } as const;

/** The row after a settlement; what it does not name stays. */
function changes(row: JobRow, settlement: Settlement, nowMs: number): Partial<Changed> {
  switch (settlement.kind) {
    case 'advance':
      return {
        ...unfailed,
        stage: settlement.stage,
        attempts: countAttempt(row.attempts, settlement.stage, 1),
        lost_leases: 0,
        lease_expires_at: nowMs + wholeMs(settlement.leaseMs),
      };
    case 'checkpoint':
      return { lease_expires_at: nowMs + wholeMs(settlement.leaseMs) };
    case 'done':
      return { ...unfailed, status: 'completed', lost_leases: 0, finished_at: nowMs, result: JSON.stringify(settlement.result) };
    case 'retry':
      return {
        status: 'queued',
        run_at: nowMs + wholeMs(settlement.delayMs),
        first_failure_at: row.first_failure_at ?? nowMs,
        last_failure_at: nowMs,
        last_failure: JSON.stringify(settlement.failure),
      };
    case 'wait':
      return {
        status: 'queued',
        run_at: nowMs + wholeMs(settlement.delayMs),
        attempts: countAttempt(row.attempts, row.stage, -1),
        waiting_for: settlement.reason,
      };
    case 'release':
      return { status: 'queued', run_at: nowMs, attempts: countAttempt(row.attempts, row.stage, -1) };
    case 'dead-letter':
      return {
        status: 'failed',
        finished_at: nowMs,
        first_failure_at: row.first_failure_at ?? nowMs,
        last_failure_at: nowMs,
        last_failure: JSON.stringify(lastFailureOf(settlement.deadLetter)),
      };
  }
}

const update = `UPDATE work_queue SET status = ?, ready = ?, stage = ?, run_at = ?, finished_at = ?, claimed_by = ?, claim_token = ?,
  lease_expires_at = ?, attempts = ?, lost_leases = ?, outputs = ?, first_failure_at = ?, last_failure_at = ?, last_failure = ?,
  waiting_for = ?, result = ?, transition_no = transition_no + ?, updated_at = max(updated_at, ?)
  WHERE id = ? AND claimed_by = ? AND claim_token = ? AND status = 'running'`;

function store(session: SqliteSession, row: JobRow, settlement: Settlement): void {
  const after = { ...row, ...changes(row, settlement, session.nowMs) };
  const kept = after.status === 'running';
  const outputs = settlement.effects?.outputs;
  session.run(
    update,
    after.status,
    after.status === 'queued' && after.run_at <= session.nowMs ? 1 : 0,
    after.stage,
    after.run_at,
    after.finished_at,
    kept ? row.claimed_by : null,
    kept ? row.claim_token : null,
    kept ? after.lease_expires_at : null,
    after.attempts,
    after.lost_leases,
    outputs === undefined ? after.outputs : JSON.stringify({ ...(JSON.parse(after.outputs) as Job['outputs']), ...outputs }),
    after.first_failure_at,
    after.last_failure_at,
    after.last_failure,
    after.waiting_for,
    after.result,
    settlement.kind === 'checkpoint' ? 0 : 1,
    session.nowMs,
    row.id,
    row.claimed_by,
    row.claim_token,
  );
}

function applyEffects(session: SqliteSession, row: JobRow, effects: SettlementEffects, rowId: (nowMs: number) => string): void {
  publishArtifacts(session, effects.publish ?? [], row.id);
  for (const mail of effects.outbox ?? []) addOutboxRow(session, mail, rowId);
}

class NotAllNotified extends Error {}

function settleOne(session: SqliteSession, settlement: Settlement, rowId: (nowMs: number) => string): SettleOutcome {
  const { jobId, owner, token } = settlement.lease;
  const row = session.first<JobRow>(
    `SELECT * FROM work_queue WHERE id = ? AND claimed_by = ? AND claim_token = ? AND status = 'running'`,
    jobId,
    owner,
    token,
  );
  if (row === undefined) return 'lease-lost';
  if (settlement.effects !== undefined) applyEffects(session, row, settlement.effects, rowId);
  if (settlement.kind === 'done' && settlement.requireNotified && lacksNotification(session, row)) throw new NotAllNotified();
  store(session, row, settlement);
  if (settlement.kind === 'dead-letter') {
    const firstFailureAt = row.first_failure_at ?? session.nowMs;
    addDeadLetter(session, row, attemptsOf(row.attempts, row.stage), firstFailureAt, settlement.deadLetter, rowId(session.nowMs));
  }
  return 'settled';
}

/** Each settlement with its effects, or nothing of it (INV-3, NOT-10). */
export function settleJobs(
  session: SqliteSession,
  settlements: readonly Settlement[],
  rowId: (nowMs: number) => string,
): readonly SettleOutcome[] {
  return settlements.map((settlement) => {
    try {
      return session.savepoint(() => settleOne(session, settlement, rowId));
    } catch (error) {
      if (error instanceof NotAllNotified) return 'not-all-notified';
      throw error;
    }
  });
}
