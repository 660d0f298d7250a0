import { attemptsOf } from '@criticizer/core/internal';
import type { Job, NewDeadLetter } from '@criticizer/core/ports';
import type { SqliteSession } from '../shared/sqlite-session.js';

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
