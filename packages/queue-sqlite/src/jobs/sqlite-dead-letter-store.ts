import {
  checkActor,
  checkOneOf,
  checkText,
  type DeadLetterRow,
  toDeadLetter,
  type WakeUps,
  withNote,
} from '@criticizer/core/internal';
import type { DeadLetter, DeadLetterStore, ReplayRequest } from '@criticizer/core/ports';
import { lacksNotification } from '../outbox/outbox-row.js';
import { listByRowId } from '../shared/list-rows.js';
import type { SqliteTx } from '../shared/sqlite-database.js';
import type { SqliteFacet } from '../shared/sqlite-facet.js';
import type { SqliteSession } from '../shared/sqlite-session.js';
import { findJob, type JobRow } from './job-row.js';

function findLetter(session: SqliteSession, id: string): DeadLetterRow | undefined {
  return session.first<DeadLetterRow>('SELECT * FROM dead_letters WHERE id = ?', id);
}

/** Without one stage's count; a full restart forgets all of them, or later stages would start with spent budgets. */
function forgetAttempts(job: JobRow, request: ReplayRequest): string {
  if (request.fromStart) return '{}';
  const counts = Object.entries(JSON.parse(job.attempts) as Record<string, number>);
  return JSON.stringify(Object.fromEntries(counts.filter(([stage]) => stage !== request.stage)));
}

function replay(session: SqliteSession, request: ReplayRequest): 'replayed' | 'not-open' | 'not-found' {
  const { nowMs } = session;
  const letter = findLetter(session, request.deadLetterId);
  const job = letter === undefined ? undefined : findJob(session, letter.job_id);
  if (letter === undefined || job === undefined) return 'not-found';
  if (letter.status !== 'open' || job.status !== 'failed') return 'not-open';
  session.run(
    `UPDATE dead_letters SET status = 'replaying', replays = replays + 1, notes = ?, updated_at = max(updated_at, ?) WHERE id = ?`,
    withNote(letter, nowMs, request.actor, request.evidence),
    nowMs,
    letter.id,
  );
  session.run(
    `UPDATE work_queue SET status = 'queued', ready = 1, stage = ?, run_at = ?, finished_at = NULL, attempts = ?, lost_leases = 0,
      outputs = ?, first_failure_at = NULL, last_failure_at = NULL, last_failure = NULL, waiting_for = NULL, result = NULL,
      replay_of = ?, replay_of_class = ?, transition_no = transition_no + 1, updated_at = max(updated_at, ?) WHERE id = ?`,
    request.stage,
    nowMs,
    forgetAttempts(job, request),
    request.fromStart ? '{}' : job.outputs,
    letter.id,
    letter.error_class,
    nowMs,
    job.id,
  );
  return 'replayed';
}

type Closing = Parameters<DeadLetterStore<SqliteTx>['close']>[1];

function close(
  session: SqliteSession,
  id: string,
  closing: Closing,
  hasMails: boolean,
): 'closed' | 'already-closed' | 'not-all-notified' | 'not-found' {
  const letter = findLetter(session, id);
  if (letter === undefined) return 'not-found';
  if (letter.status === 'resolved' || letter.status === 'ignored') return 'already-closed';
  const job = hasMails ? findJob(session, letter.job_id) : undefined;
  if (closing.status === 'resolved' && job !== undefined && lacksNotification(session, job)) return 'not-all-notified';
  session.run(
    'UPDATE dead_letters SET status = ?, notes = ?, updated_at = max(updated_at, ?) WHERE id = ?',
    closing.status,
    withNote(letter, session.nowMs, closing.actor, closing.note),
    session.nowMs,
    id,
  );
  return 'closed';
}

// long: the verbs of the facet, one after the other
/** The operator's side of dead letters on SQLite (ERR-7, ERR-9, ERR-10). */
export function createSqliteDeadLetterStore(
  { storeId, gate, hasMails }: SqliteFacet,
  wakeUps: WakeUps,
): DeadLetterStore<SqliteTx> {
  return {
    storeId,
    get: (id) =>
      gate.read(undefined, (session) => {
        const row = findLetter(session, id);
        return row === undefined ? null : toDeadLetter(row);
      }),
    list: (filter) =>
      gate.read(undefined, (session) =>
        listByRowId<DeadLetterRow>(session, 'SELECT * FROM dead_letters', filter, [
          ['status = ?', filter.status],
          ['stage = ?', filter.stage],
          ['error_class = ?', filter.errorClass],
          ['kind = ?', filter.kind],
          ['job_id = ?', filter.jobId],
          ['changelist_id = ?', filter.changelistId],
        ]).map(toDeadLetter),
      ),
    async note(id, { actor, text }, options) {
      checkActor('note.actor', actor);
      checkText('note.text', text, 8192);
      return gate.write(options?.tx, (session) => {
        const letter = findLetter(session, id);
        if (letter === undefined) return 'not-found';
        session.run(
          'UPDATE dead_letters SET notes = ?, updated_at = max(updated_at, ?) WHERE id = ?',
          withNote(letter, session.nowMs, actor, text),
          session.nowMs,
          id,
        );
        return 'noted';
      });
    },
    async replay(request, options) {
      checkText('request.stage', request.stage, 128);
      checkActor('request.actor', request.actor);
      checkText('request.evidence', request.evidence, 8192);
      const outcome = await gate.write(options?.tx, (session) => replay(session, request));
      if (options?.tx === undefined) wakeUps.wake();
      return outcome;
    },
    async close(id, closing, options) {
      checkOneOf('closing.status', closing.status, ['resolved', 'ignored']);
      checkActor('closing.actor', closing.actor);
      checkText('closing.note', closing.note, 8192);
      return gate.write(options?.tx, (session) => close(session, id, closing, hasMails));
    },
    stats: () =>
      gate.read(undefined, (session) => {
        const rows = session.all<{
          stage: string;
          error_class: string;
          escalation: DeadLetter['escalation'];
          n: number;
        }>(
          `SELECT stage, error_class, escalation, count(*) AS n FROM dead_letters WHERE status = 'open'
            GROUP BY stage, error_class, escalation ORDER BY stage, error_class, escalation`,
        );
        return rows.map(({ stage, error_class: errorClass, escalation, n: open }) => ({
          stage,
          errorClass,
          escalation,
          open,
        }));
      }),
  };
}
