import { attemptsOf } from '@criticizer/core/internal';
import type {
  DeadLetter,
  DeadLetterNote,
  DeadLetterStatus,
  FailureCategory,
  Job,
  JsonObject,
  NewDeadLetter,
} from '@criticizer/core/ports';
import { type Instant, instantColumns, toDate } from './instants.js';
import type { PgSession } from './pg-session.js';
import { rowIdSql } from './row-id.js';

/** A row of `dead_letters`, JSON as text. */
export interface DeadLetterRow {
  id: string;
  job_id: string;
  kind: string;
  changelist_id: string | null;
  stage: string;
  attempts: number;
  error_class: string;
  category: FailureCategory;
  last_stack: string;
  sanitized_context: string;
  escalation: NewDeadLetter['escalation'];
  first_failure_at: Instant;
  last_failure_at: Instant;
  created_at: Instant;
  updated_at: Instant;
  status: DeadLetterStatus;
  replays: number;
  replay_of: string | null;
  notes: string;
}

/** What to select for a `DeadLetterRow`. */
export const letterColumns = `id::text AS id, job_id::text AS job_id, kind, changelist_id, stage, attempts, error_class, category, last_stack,
  sanitized_context::text AS sanitized_context, escalation, ${instantColumns('dead_letters', ['first_failure_at', 'last_failure_at', 'created_at', 'updated_at'])},
  status, replays,
  replay_of::text AS replay_of, notes::text AS notes`;

interface StoredNote {
  at: string;
  actor: string;
  text: string;
}

export function toDeadLetter(row: DeadLetterRow): DeadLetter {
  const notes = (JSON.parse(row.notes) as StoredNote[]).map(
    (note): DeadLetterNote => ({ ...note, at: new Date(note.at) }),
  );
  return {
    id: row.id,
    jobId: row.job_id,
    kind: row.kind,
    changelistId: row.changelist_id,
    stage: row.stage,
    attempts: row.attempts,
    errorClass: row.error_class,
    category: row.category,
    lastStack: row.last_stack,
    sanitizedContext: JSON.parse(row.sanitized_context) as JsonObject,
    escalation: row.escalation,
    firstFailureAt: toDate(row.first_failure_at),
    lastFailureAt: toDate(row.last_failure_at),
    createdAt: toDate(row.created_at),
    updatedAt: toDate(row.updated_at),
    status: row.status,
    replays: row.replays,
    replayOf: row.replay_of,
    notes,
  };
}

/** A row's notes with one more at the end; `at` is the database's instant. */
export function withNote(row: DeadLetterRow, at: Instant, actor: string, text: string): string {
  const note: StoredNote = { at: toDate(at).toISOString(), actor, text };
  return JSON.stringify([...(JSON.parse(row.notes) as StoredNote[]), note]);
}

/** A job as its dead letter leaves it. */
export interface FailingJob {
  job: Job;
  letter: NewDeadLetter;
}

/** Writes the letters of jobs that fail now (ERR-7). */
export async function addDeadLetters(
  session: PgSession,
  failing: readonly FailingJob[],
  now: Date,
  idTail: () => string,
): Promise<void> {
  if (failing.length === 0) return;
  const input = failing.map(({ job, letter }) => ({
    tail: idTail(),
    job_id: job.id,
    kind: job.kind,
    changelist_id: job.changelistId,
    stage: job.stage,
    attempts: attemptsOf(job, job.stage),
    error_class: letter.errorClass,
    category: letter.category,
    last_stack: letter.lastStack,
    context: JSON.stringify(letter.sanitizedContext),
    escalation: letter.escalation,
    first_failure_at: job.firstFailureAt,
    now_at: now,
    replay_of: job.replayOf?.deadLetterId ?? null,
  }));
  await session.run(
    `INSERT INTO {schema}.dead_letters (id, job_id, kind, changelist_id, stage, attempts, error_class, category, last_stack,
        sanitized_context, escalation, first_failure_at, last_failure_at, created_at, updated_at, status, replays, replay_of, notes)
      SELECT ${rowIdSql('x.tail')}, x.job_id, x.kind, x.changelist_id, x.stage, x.attempts, x.error_class, x.category, x.last_stack,
        x.context::json, x.escalation, x.first_failure_at, x.now_at, x.now_at, x.now_at, 'open', 0, x.replay_of, '[]'
      FROM json_to_recordset($1::json) AS x(tail text, job_id uuid, kind text, changelist_id text, stage text, attempts int,
        error_class text, category text, last_stack text, context text, escalation text, first_failure_at timestamptz, now_at timestamptz,
        replay_of uuid)`,
    JSON.stringify(input),
  );
}
