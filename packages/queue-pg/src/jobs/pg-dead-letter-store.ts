import {
  checkActor,
  checkOneOf,
  checkText,
  type DeadLetterRow,
  type Instant,
  type JobRow,
  toDeadLetter,
  type WakeUps,
  withNote,
} from '@criticizer/core/internal';
import type { DeadLetter, DeadLetterStore, ReplayRequest } from '@criticizer/core/ports';
import { lacksNotification } from '../outbox/outbox-row.js';
import { epochMs } from '../shared/instants.js';
import { asUuidOrNone, listByRowId } from '../shared/list-rows.js';
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

/** The letter's job, locked; undefined where it was pruned. */
function lockJob(session: PgSession, letter: DeadLetterRow): Promise<JobRow | undefined> {
  return session.first<JobRow>(
    `SELECT ${jobColumns} FROM {schema}.work_queue AS w WHERE w.id = $1 FOR UPDATE`,
    letter.job_id,
  );
}

/** Without one stage's count; a full restart forgets all of them, or later stages would start with spent budgets. */
function forgetAttempts(job: JobRow, request: ReplayRequest): string {
  if (request.fromStart) return '{}';
  const counts = Object.entries(JSON.parse(job.attempts) as Record<string, number>);
  return JSON.stringify(Object.fromEntries(counts.filter(([stage]) => stage !== request.stage)));
}

async function replay(session: PgSession, request: ReplayRequest): Promise<'replayed' | 'not-open' | 'not-found'> {
  const letter = await lockLetter(session, request.deadLetterId);
  const job = letter === undefined ? undefined : await lockJob(session, letter);
  if (letter === undefined || job === undefined) return 'not-found';
  if (letter.status !== 'open' || job.status !== 'failed') return 'not-open';
  await session.run(
    `UPDATE {schema}.dead_letters SET status = 'replaying', replays = replays + 1, notes = $2::json,
      updated_at = greatest(updated_at, {now}) WHERE id = $1`,
    letter.id,
    withNote(letter, letter.now_at, request.actor, request.evidence),
  );
  await session.run(
    `UPDATE {schema}.work_queue SET status = 'queued', ready = true, stage = $2, run_at = {now}, finished_at = NULL, attempts = $3::jsonb,
      lost_leases = 0, outputs = $4::json, first_failure_at = NULL, last_failure_at = NULL, last_failure = NULL, waiting_for = NULL,
      result = NULL, replay_of = $5, replay_of_class = $6, transition_no = transition_no + 1, updated_at = greatest(updated_at, {now})
      WHERE id = $1`,
    job.id,
    request.stage,
    forgetAttempts(job, request),
    request.fromStart ? '{}' : job.outputs,
    letter.id,
    letter.error_class,
  );
  return 'replayed';
}

type Closing = Parameters<DeadLetterStore<PgTx>['close']>[1];

async function close(
  session: PgSession,
  id: string,
  closing: Closing,
  hasMails: boolean,
): Promise<'closed' | 'already-closed' | 'not-all-notified' | 'not-found'> {
  const letter = await lockLetter(session, id);
  if (letter === undefined) return 'not-found';
  if (letter.status === 'resolved' || letter.status === 'ignored') return 'already-closed';
  const job = hasMails && closing.status === 'resolved' ? await lockJob(session, letter) : undefined;
  if (job !== undefined && (await lacksNotification(session, job))) return 'not-all-notified';
  await session.run(
    `UPDATE {schema}.dead_letters SET status = $2, notes = $3::json, updated_at = greatest(updated_at, {now}) WHERE id = $1`,
    letter.id,
    closing.status,
    withNote(letter, letter.now_at, closing.actor, closing.note),
  );
  return 'closed';
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
      const rows = await listByRowId<DeadLetterRow>(gate, list, filter, [
        ['status = ?', filter.status],
        ['stage = ?', filter.stage],
        ['error_class = ?', filter.errorClass],
        ['kind = ?', filter.kind],
        ['job_id = ?::uuid', asUuidOrNone(filter.jobId)],
        ['changelist_id = ?', filter.changelistId],
      ]);
      return rows.map(toDeadLetter);
    },
    async note(id, { actor, text }, options) {
      checkActor('note.actor', actor);
      checkText('note.text', text, 8192);
      return gate.together(options?.tx, async (session) => {
        const letter = await lockLetter(session, id);
        if (letter === undefined) return 'not-found';
        await session.run(
          'UPDATE {schema}.dead_letters SET notes = $2::json, updated_at = greatest(updated_at, {now}) WHERE id = $1',
          letter.id,
          withNote(letter, letter.now_at, actor, text),
        );
        return 'noted';
      });
    },
    async replay(request, options) {
      checkText('request.stage', request.stage, 128);
      checkActor('request.actor', request.actor);
      checkText('request.evidence', request.evidence, 8192);
      const outcome = await gate.together(options?.tx, (session) => replay(session, request));
      if (options?.tx === undefined) wakeUps.wake();
      return outcome;
    },
    async close(id, closing, options) {
      checkOneOf('closing.status', closing.status, ['resolved', 'ignored']);
      checkActor('closing.actor', closing.actor);
      checkText('closing.note', closing.note, 8192);
      return gate.together(options?.tx, (session) => close(session, id, closing, hasMails));
    },
    async stats() {
      const rows = await gate.single(undefined, (session) =>
        session.all<{ stage: string; error_class: string; escalation: DeadLetter['escalation']; n: number }>(
          `SELECT stage, error_class, escalation, count(*)::int AS n FROM {schema}.dead_letters WHERE status = 'open'
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
