import {
  checkClosing,
  checkNote,
  checkReplayRequest,
  checkTriage,
  type DeadLetterGroupRow,
  type DeadLetterRow,
  isClosed,
  isUnresolved,
  type NoteText,
  rowIdRange,
  toDeadLetter,
  toDeadLetterGroup,
  type WakeUps,
  wholeMs,
  withNotes,
} from '@criticizer/core/internal';

import type {
  Actor,
  DeadLetter,
  DeadLetterFilter,
  DeadLetterGroupFilter,
  DeadLetterStore,
  ReplayRequest,
} from '@criticizer/core/ports';

import { lacksNotification } from '../outbox/outbox-row.js';
import { type Condition, listByRowId, whereOf } from '../shared/list-rows.js';
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

/** Moves a letter and appends notes to it. */
function moveLetter(
  session: SqliteSession,
  letter: DeadLetterRow,
  to: { status: DeadLetterRow['status']; replays?: number },
  actor: Actor,
  notes: readonly NoteText[],
): void {
  session.run(
    'UPDATE dead_letters SET status = ?, replays = ?, notes = ?, updated_at = max(updated_at, ?) WHERE id = ?',
    to.status,
    to.replays ?? letter.replays,
    withNotes(letter, session.nowMs, actor, notes),
    session.nowMs,
    letter.id,
  );
}

function replay(
  session: SqliteSession,
  request: ReplayRequest,
  notes: readonly NoteText[],
): 'replayed' | 'not-open' | 'not-found' {
  const { nowMs } = session;
  const letter = findLetter(session, request.deadLetterId);
  const job = letter === undefined ? undefined : findJob(session, letter.job_id);
  if (letter === undefined || job === undefined) return 'not-found';
  if (!isUnresolved(letter.status) || job.status !== 'failed') return 'not-open';
  moveLetter(session, letter, { status: 'replaying', replays: letter.replays + 1 }, request.actor, notes);
  const delayMs = wholeMs(request.delayMs ?? 0);
  session.run(
    `UPDATE work_queue SET status = 'queued', ready = ?, stage = ?, run_at = ?, finished_at = NULL, attempts = ?, lost_leases = 0,
      outputs = ?, first_failure_at = NULL, last_failure_at = NULL, last_failure = NULL, waiting_for = NULL, result = NULL,
      replay_of = ?, replay_of_class = ?, transition_no = transition_no + 1, updated_at = max(updated_at, ?) WHERE id = ?`,
    delayMs === 0 ? 1 : 0,
    request.stage,
    nowMs + delayMs,
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
  notes: readonly NoteText[],
  hasMails: boolean,
): 'closed' | 'already-closed' | 'not-all-notified' | 'not-found' {
  const letter = findLetter(session, id);
  if (letter === undefined) return 'not-found';
  if (isClosed(letter.status)) return 'already-closed';
  const job = hasMails ? findJob(session, letter.job_id) : undefined;
  if (closing.status === 'resolved' && job !== undefined && lacksNotification(session, job)) return 'not-all-notified';
  moveLetter(session, letter, { status: closing.status }, closing.actor, notes);
  return 'closed';
}

function conditionsOf(filter: DeadLetterFilter): Condition[] {
  return [
    ['status = ?', filter.status],
    ['stage = ?', filter.stage],
    ['error_class = ?', filter.errorClass],
    ['kind = ?', filter.kind],
    ['job_id = ?', filter.jobId],
    ['changelist_id = ?', filter.changelistId],
    ['cause_key = ?', filter.causeKey],
  ];
}

function readGroups(session: SqliteSession, filter: DeadLetterGroupFilter): DeadLetterGroupRow[] {
  const { size, from, below } = rowIdRange(filter);
  const { where, values } = whereOf([['id < ?', below], ['id >= ?', from], ...conditionsOf(filter)]);
  return session.all<DeadLetterGroupRow>(
    `SELECT g.cause_key, newest.cause, newest.error_class, g.count, oldest.first_failure_at AS first_seen_at,
      newest.last_failure_at AS last_seen_at, g.oldest_id, g.newest_id
      FROM (SELECT cause_key, count(*) AS count, min(id) AS oldest_id, max(id) AS newest_id FROM dead_letters${where}
        GROUP BY cause_key ORDER BY count DESC, cause_key LIMIT ? + 0) AS g
      JOIN dead_letters AS oldest ON oldest.id = g.oldest_id JOIN dead_letters AS newest ON newest.id = g.newest_id
      ORDER BY g.count DESC, g.cause_key`,
    ...values,
    size,
  );
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
        listByRowId<DeadLetterRow>(session, 'SELECT * FROM dead_letters', filter, conditionsOf(filter)).map(
          toDeadLetter,
        ),
      ),
    groups: (filter) => gate.read(undefined, (session) => readGroups(session, filter).map(toDeadLetterGroup)),
    async note(id, note, options) {
      checkNote(note);
      return gate.write(options?.tx, (session) => {
        const letter = findLetter(session, id);
        if (letter === undefined) return 'not-found';
        const text = { kind: note.kind ?? 'note', text: note.text };
        moveLetter(session, letter, { status: letter.status }, note.actor, [text]);
        return 'noted';
      });
    },
    async triage(id, triage, options) {
      const notes = checkTriage(triage);
      return gate.write(options?.tx, (session) => {
        const letter = findLetter(session, id);
        if (letter === undefined) return 'not-found';
        if (letter.status !== 'open') return 'not-open';
        moveLetter(session, letter, { status: 'triaged' }, triage.actor, notes);
        return 'triaged';
      });
    },
    async replay(request, options) {
      const notes = checkReplayRequest(request);
      const outcome = await gate.write(options?.tx, (session) => replay(session, request, notes));
      if (options?.tx === undefined) wakeUps.wake();
      return outcome;
    },
    async close(id, closing, options) {
      const notes = checkClosing(closing);
      return gate.write(options?.tx, (session) => close(session, id, closing, notes, hasMails));
    },
    stats: () =>
      gate.read(undefined, (session) => {
        const rows = session.all<{
          stage: string;
          error_class: string;
          escalation: DeadLetter['escalation'];
          n: number;
        }>(
          `SELECT stage, error_class, escalation, count(*) AS n FROM dead_letters WHERE status IN ('open', 'triaged')
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
