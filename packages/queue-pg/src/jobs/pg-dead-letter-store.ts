import {
  checkClosing,
  checkNote,
  checkReplayRequest,
  checkTriage,
  type DeadLetterGroupRow,
  type DeadLetterRow,
  type Instant,
  isClosed,
  isUnresolved,
  type JobRow,
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
import { epochMs, span } from '../shared/instants.js';
import { asUuidOrNone, type Condition, listByRowId, whereOf } from '../shared/list-rows.js';
import type { PgTx } from '../shared/pg-database.js';
import type { PgFacet } from '../shared/pg-facet.js';
import { asUuid, type PgSession } from '../shared/pg-session.js';
import { letterColumns } from './dead-letter-row.js';
import { jobColumns } from './job-row.js';

type LockedLetter = DeadLetterRow & { now_at: Instant };

const list = { select: `SELECT ${letterColumns} FROM {schema}.dead_letters`, id: 'dead_letters.id' };

/** The letter, locked until the transaction ends: of two operators the second sees what the first did. */
function lockLetter(session: PgSession, id: string): Promise<LockedLetter | undefined> {
  return session.first<LockedLetter>(
    `SELECT ${letterColumns}, ${epochMs('{now}')} AS now_at FROM {schema}.dead_letters WHERE id = $1 FOR UPDATE`,
    asUuid(id),
  );
}

/**
 * The letter's job, locked; undefined where it was pruned. Before the letter, as a settlement locks
 * them that ends a replay: two that wait for each other would deadlock.
 */
function lockJob(session: PgSession, letterId: string): Promise<JobRow | undefined> {
  return session.first<JobRow>(
    `SELECT ${jobColumns} FROM {schema}.work_queue AS w WHERE w.id = (SELECT job_id FROM {schema}.dead_letters WHERE id = $1) FOR UPDATE`,
    asUuid(letterId),
  );
}

/** Moves a letter and appends notes to it. */
async function moveLetter(
  session: PgSession,
  letter: LockedLetter,
  to: { status: DeadLetterRow['status']; replays?: number },
  actor: Actor,
  notes: readonly NoteText[],
): Promise<void> {
  await session.run(
    `UPDATE {schema}.dead_letters SET status = $2, replays = $3, notes = $4::json, updated_at = greatest(updated_at, {now}) WHERE id = $1`,
    letter.id,
    to.status,
    to.replays ?? letter.replays,
    withNotes(letter, letter.now_at, actor, notes),
  );
}

/** Without one stage's count; a full restart forgets all of them, or later stages would start with spent budgets. */
function forgetAttempts(job: JobRow, request: ReplayRequest): string {
  if (request.fromStart) return '{}';
  const counts = Object.entries(JSON.parse(job.attempts) as Record<string, number>);
  return JSON.stringify(Object.fromEntries(counts.filter(([stage]) => stage !== request.stage)));
}

async function replay(
  session: PgSession,
  request: ReplayRequest,
  notes: readonly NoteText[],
): Promise<'replayed' | 'not-open' | 'not-found'> {
  const job = await lockJob(session, request.deadLetterId);
  const letter = job === undefined ? undefined : await lockLetter(session, request.deadLetterId);
  if (letter === undefined || job === undefined) return 'not-found';
  if (!isUnresolved(letter.status) || job.status !== 'failed') return 'not-open';
  await moveLetter(session, letter, { status: 'replaying', replays: letter.replays + 1 }, request.actor, notes);
  await session.run(
    `UPDATE {schema}.work_queue SET status = 'queued', ready = ($7::float8 = 0), stage = $2, run_at = {now} + ${span('$7::float8')},
      finished_at = NULL, attempts = $3::jsonb, lost_leases = 0, outputs = $4::json, first_failure_at = NULL, last_failure_at = NULL,
      last_failure = NULL, waiting_for = NULL, result = NULL, replay_of = $5, replay_of_class = $6, transition_no = transition_no + 1,
      updated_at = greatest(updated_at, {now}) WHERE id = $1`,
    job.id,
    request.stage,
    forgetAttempts(job, request),
    request.fromStart ? '{}' : job.outputs,
    letter.id,
    letter.error_class,
    wholeMs(request.delayMs ?? 0),
  );
  return 'replayed';
}

type Closing = Parameters<DeadLetterStore<PgTx>['close']>[1];

async function close(
  session: PgSession,
  id: string,
  closing: Closing,
  notes: readonly NoteText[],
  hasMails: boolean,
): Promise<'closed' | 'already-closed' | 'not-all-notified' | 'not-found'> {
  const job = hasMails && closing.status === 'resolved' ? await lockJob(session, id) : undefined;
  const letter = await lockLetter(session, id);
  if (letter === undefined) return 'not-found';
  if (isClosed(letter.status)) return 'already-closed';
  if (job !== undefined && (await lacksNotification(session, job))) return 'not-all-notified';
  await moveLetter(session, letter, { status: closing.status }, closing.actor, notes);
  return 'closed';
}

function conditionsOf(filter: DeadLetterFilter): Condition[] {
  return [
    ['status = ?', filter.status],
    ['stage = ?', filter.stage],
    ['error_class = ?', filter.errorClass],
    ['kind = ?', filter.kind],
    ['job_id = ?::uuid', asUuidOrNone(filter.jobId)],
    ['changelist_id = ?', filter.changelistId],
    ['cause_key = ?', filter.causeKey],
  ];
}

/** Ids as text: not every server can compare two uuids by min and max. */
function readGroups(session: PgSession, filter: DeadLetterGroupFilter): Promise<DeadLetterGroupRow[]> {
  const { size, from, below } = rowIdRange(filter);
  const { where, values } = whereOf([['id < ?::uuid', below], ['id >= ?::uuid', from], ...conditionsOf(filter)]);
  return session.all<DeadLetterGroupRow>(
    `SELECT g.cause_key, newest.cause, newest.error_class, g.count::int AS count, g.oldest_id, g.newest_id,
        ${epochMs('oldest.first_failure_at')} AS first_seen_at, ${epochMs('newest.last_failure_at')} AS last_seen_at
      FROM (SELECT cause_key, count(*) AS count, min(id::text) AS oldest_id, max(id::text) AS newest_id FROM {schema}.dead_letters${where}
        GROUP BY cause_key ORDER BY count DESC, cause_key COLLATE "C" LIMIT $${values.length + 1}) AS g
      JOIN {schema}.dead_letters AS oldest ON oldest.id = g.oldest_id::uuid
      JOIN {schema}.dead_letters AS newest ON newest.id = g.newest_id::uuid
      ORDER BY g.count DESC, g.cause_key COLLATE "C"`,
    ...values,
    size,
  );
}

// long: the verbs of the facet, one after the other
/** The operator's side of dead letters on PostgreSQL (ERR-7, ERR-9, ERR-10). */
export function createPgDeadLetterStore({ storeId, gate, hasMails }: PgFacet, wakeUps: WakeUps): DeadLetterStore<PgTx> {
  return {
    storeId,
    async get(id) {
      const row = await gate.single(undefined, (session) =>
        session.first<DeadLetterRow>(`SELECT ${letterColumns} FROM {schema}.dead_letters WHERE id = $1`, asUuid(id)),
      );
      return row === undefined ? null : toDeadLetter(row);
    },
    async list(filter) {
      const rows = await listByRowId<DeadLetterRow>(gate, list, filter, conditionsOf(filter));
      return rows.map(toDeadLetter);
    },
    async groups(filter) {
      const rows = await gate.single(undefined, (session) => readGroups(session, filter));
      return rows.map(toDeadLetterGroup);
    },
    async note(id, note, options) {
      checkNote(note);
      return gate.together(options?.tx, async (session) => {
        const letter = await lockLetter(session, id);
        if (letter === undefined) return 'not-found';
        const text = { kind: note.kind ?? 'note', text: note.text };
        await moveLetter(session, letter, { status: letter.status }, note.actor, [text]);
        return 'noted';
      });
    },
    async triage(id, triage, options) {
      const notes = checkTriage(triage);
      return gate.together(options?.tx, async (session) => {
        const letter = await lockLetter(session, id);
        if (letter === undefined) return 'not-found';
        if (letter.status !== 'open') return 'not-open';
        await moveLetter(session, letter, { status: 'triaged' }, triage.actor, notes);
        return 'triaged';
      });
    },
    async replay(request, options) {
      const notes = checkReplayRequest(request);
      const outcome = await gate.together(options?.tx, (session) => replay(session, request, notes));
      if (options?.tx === undefined) wakeUps.wake();
      return outcome;
    },
    async close(id, closing, options) {
      const notes = checkClosing(closing);
      return gate.together(options?.tx, (session) => close(session, id, closing, notes, hasMails));
    },
    async stats() {
      const rows = await gate.single(undefined, (session) =>
        session.all<{ stage: string; error_class: string; escalation: DeadLetter['escalation']; n: number }>(
          `SELECT stage, error_class, escalation, count(*)::int AS n FROM {schema}.dead_letters WHERE status IN ('open', 'triaged')
            GROUP BY stage, error_class, escalation
            ORDER BY stage COLLATE "C", error_class COLLATE "C", escalation COLLATE "C"`,
        ),
      );
      return rows.map(({ stage, error_class: errorClass, escalation, n: open }) => ({
        stage,
        errorClass,
        escalation,
        open,
      }));
    },
  };
}
