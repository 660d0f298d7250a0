import type { Job, NewOutboxRow, Settlement, SettleOutcome } from '@criticizer/core';
import { lastFailureOf } from '@criticizer/core/store-authors';
import { addDeadLetters, type FailingJob } from './dead-letter-row.js';
import { attemptsOf, countAttempt, type JobRow, jobColumns, wholeMs } from './job-row.js';
import { addOutboxRows, lacksNotification } from './outbox-row.js';
import { asUuid, type PgSession, toMs, toMsOrNull } from './pg-session.js';
import { publishArtifacts } from './publish-artifacts.js';

/** The columns a settlement may change; instants in milliseconds of the database's clock. */
interface State {
  id: string;
  status: JobRow['status'];
  stage: string;
  run_at: number;
  finished_at: number | null;
  claimed_by: string | null;
  claim_token: string | null;
  lease_expires_at: number | null;
  attempts: string;
  lost_leases: number;
  outputs: string;
  transition_no: number;
  first_failure_at: number | null;
  last_failure_at: number | null;
  last_failure: string | null;
  waiting_for: string | null;
  result: string | null;
}

const unfailed = { first_failure_at: null, last_failure_at: null, last_failure: null } as const;

/** The row after a settlement; what it does not name stays. */
function changes(row: State, settlement: Settlement, nowMs: number): Partial<State> {
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

function settledState(row: State, settlement: Settlement, nowMs: number): State {
  const after = { ...row, ...changes(row, settlement, nowMs) };
  const outputs = settlement.effects?.outputs;
  return {
    ...after,
    ...(after.status === 'running' ? {} : { claimed_by: null, claim_token: null, lease_expires_at: null }),
    outputs: outputs === undefined ? after.outputs : JSON.stringify({ ...(JSON.parse(after.outputs) as Job['outputs']), ...outputs }),
    transition_no: row.transition_no + (settlement.kind === 'checkpoint' ? 0 : 1),
  };
}

type OwnedRow = JobRow & { now_at: Date | string };

/** Locks the rows that the leases still own, in the order of ids, so that two calls cannot deadlock. */
function lockOwned(session: PgSession, settlements: readonly Settlement[]): Promise<OwnedRow[]> {
  return session.all<OwnedRow>(
    `SELECT ${jobColumns}, {now} AS now_at FROM {schema}.work_queue AS w WHERE w.status = 'running' AND (w.id, w.claimed_by, w.claim_token)
      IN (SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[])) ORDER BY w.id FOR UPDATE OF w`,
    settlements.map(({ lease }) => asUuid(lease.jobId)),
    settlements.map(({ lease }) => lease.owner),
    settlements.map(({ lease }) => lease.token),
  );
}

function toState(row: JobRow): State {
  return {
    ...row,
    run_at: toMs(row.run_at),
    finished_at: toMsOrNull(row.finished_at),
    lease_expires_at: toMsOrNull(row.lease_expires_at),
    first_failure_at: toMsOrNull(row.first_failure_at),
    last_failure_at: toMsOrNull(row.last_failure_at),
  };
}

// The rows are locked and were found by their fence; it is named again so that no other writer of this statement can forget it (INV-3).
const write = `UPDATE {schema}.work_queue AS w SET status = s.status, ready = (s.status = 'queued' AND s.run_at <= s.now_at), stage = s.stage,
    run_at = s.run_at, finished_at = s.finished_at, claimed_by = s.claimed_by, claim_token = s.claim_token,
    lease_expires_at = s.lease_expires_at, attempts = s.attempts::jsonb, lost_leases = s.lost_leases, outputs = s.outputs::json,
    transition_no = s.transition_no, first_failure_at = s.first_failure_at, last_failure_at = s.last_failure_at,
    last_failure = s.last_failure::json, waiting_for = s.waiting_for, result = s.result::json, updated_at = greatest(w.updated_at, s.now_at)
  FROM json_to_recordset($1::json) AS s(id uuid, owner text, token text, now_at timestamptz, status text, stage text, run_at timestamptz,
    finished_at timestamptz, claimed_by text, claim_token text, lease_expires_at timestamptz, attempts text, lost_leases int, outputs text,
    transition_no int, first_failure_at timestamptz, last_failure_at timestamptz, last_failure text, waiting_for text, result text)
  WHERE w.id = s.id AND w.claimed_by = s.owner AND w.claim_token = s.token AND w.status = 'running'`;

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function toInput(state: State, lease: Settlement['lease'], nowMs: number) {
  return {
    ...state,
    owner: lease.owner,
    token: lease.token,
    now_at: iso(nowMs),
    run_at: iso(state.run_at),
    finished_at: iso(state.finished_at),
    lease_expires_at: iso(state.lease_expires_at),
    first_failure_at: iso(state.first_failure_at),
    last_failure_at: iso(state.last_failure_at),
  };
}

/** Each settlement with its effects, or nothing of it (INV-3, NOT-10). */
export async function settleJobs(
  session: PgSession,
  settlements: readonly Settlement[],
  idTail: () => string,
): Promise<readonly SettleOutcome[]> {
  const owned = await lockOwned(session, settlements);
  const jobs = new Map(owned.map((row) => [row.id, row]));
  const states = new Map(owned.map((row) => [row.id, toState(row)]));
  const nowMs = owned[0] === undefined ? 0 : toMs(owned[0].now_at);
  const written = new Map<string, Settlement['lease']>();
  const letters: FailingJob[] = [];
  const outcomes: SettleOutcome[] = [];
  for (const settlement of settlements) {
    const { lease, effects } = settlement;
    const id = asUuid(lease.jobId);
    const [job, state] = [jobs.get(id), states.get(id)];
    if (job === undefined || state === undefined || state.claimed_by !== lease.owner || state.claim_token !== lease.token) {
      outcomes.push('lease-lost');
      continue;
    }
    const mails: readonly NewOutboxRow[] = effects?.outbox ?? [];
    if (settlement.kind === 'done' && settlement.requireNotified && (await lacksNotification(session, job, mails))) {
      outcomes.push('not-all-notified');
      continue;
    }
    await publishArtifacts(session, effects?.publish ?? [], id);
    await addOutboxRows(session, mails, idTail);
    const after = settledState(state, settlement, nowMs);
    if (settlement.kind === 'dead-letter') {
      letters.push({
        job,
        stage: state.stage,
        attempts: attemptsOf(state.attempts, state.stage),
        firstFailureMs: state.first_failure_at ?? nowMs,
        letter: settlement.deadLetter,
      });
    }
    states.set(id, after);
    written.set(id, lease);
    outcomes.push('settled');
  }
  const input = [...written].map(([id, lease]) => toInput(states.get(id) as State, lease, nowMs));
  if (input.length > 0) await session.run(write, JSON.stringify(input));
  await addDeadLetters(session, letters, nowMs, idTail);
  return outcomes;
}
