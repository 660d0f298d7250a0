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
import type { SqliteSession } from './sqlite-session.js';

/** A row of `dead_letters`. */
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
  first_failure_at: number;
  last_failure_at: number;
  created_at: number;
  updated_at: number;
  status: DeadLetterStatus;
  replays: number;
  replay_of: string | null;
  notes: string;
}

interface StoredNote {
  at: number;
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
    firstFailureAt: new Date(row.first_failure_at),
    lastFailureAt: new Date(row.last_failure_at),
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
    status: row.status,
    replays: row.replays,
    replayOf: row.replay_of,
    notes,
  };
}

/** A row's notes with one more at the end. */
export function withNote(row: DeadLetterRow, atMs: number, actor: string, text: string): string {
  const note: StoredNote = { at: atMs, actor, text };
  return JSON.stringify([...(JSON.parse(row.notes) as StoredNote[]), note]);
}

/** Writes the letter of a job that fails now; `job` is as the letter leaves it (ERR-7). */
export function addDeadLetter(session: SqliteSession, job: Job, letter: NewDeadLetter, id: string): void {
  const { nowMs } = session;
  session.run(
    `INSERT INTO dead_letters (id, job_id, kind, changelist_id, stage, attempts, error_class, category, last_stack, sanitized_context,
      escalation, first_failure_at, last_failure_at, created_at, updated_at, status, replays, replay_of, notes)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', 0, ?, '[]')`,
    id,
    job.id,
    job.kind,
    job.changelistId,
    job.stage,
    attemptsOf(job, job.stage),
    letter.errorClass,
    letter.category,
    letter.lastStack,
    JSON.stringify(letter.sanitizedContext),
    letter.escalation,
    job.firstFailureAt?.getTime() ?? nowMs,
    nowMs,
    nowMs,
    nowMs,
    job.replayOf?.deadLetterId ?? null,
  );
}
