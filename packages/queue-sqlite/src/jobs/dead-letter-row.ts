import { attemptsOf, describeCause, endReplay, pipelineActor, withNotes } from '@criticizer/core/internal';
import type { Job, NewDeadLetter, Settlement } from '@criticizer/core/ports';
import type { SqliteSession } from '../shared/sqlite-session.js';

/** Writes the letter of a job that fails now; `job` is as the letter leaves it (ERR-7). */
export function addDeadLetter(session: SqliteSession, job: Job, letter: NewDeadLetter, id: string): void {
  const { nowMs } = session;
  const cause = describeCause(letter);
  session.run(
    `INSERT INTO dead_letters (id, job_id, kind, changelist_id, stage, cause_key, cause, attempts, error_class, category, last_stack, sanitized_context,
      escalation, first_failure_at, last_failure_at, created_at, updated_at, status, replays, replay_of, notes)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', 0, ?, '[]')`,
    id,
    job.id,
    job.kind,
    job.changelistId,
    job.stage,
    cause.key,
    cause.message,
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

/** Moves the letter whose replay `job` is, where the settlement ends that run (ERR-9). */
export function endReplayOf(session: SqliteSession, job: Job, settlement: Settlement, lacksMail: boolean): void {
  const end = endReplay(settlement, lacksMail);
  if (end === null || job.replayOf === null) return;
  const letter = session.first<{ notes: string }>(
    `SELECT notes FROM dead_letters WHERE id = ? AND status = 'replaying'`,
    job.replayOf.deadLetterId,
  );
  if (letter === undefined) return;
  session.run(
    'UPDATE dead_letters SET status = ?, notes = ?, updated_at = max(updated_at, ?) WHERE id = ?',
    end.status,
    withNotes(letter, session.nowMs, pipelineActor, [{ kind: 'system', text: end.text }]),
    session.nowMs,
    job.replayOf.deadLetterId,
  );
}
