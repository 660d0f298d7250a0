import {
  attemptsOf,
  describeCause,
  endCancelledReplay,
  endReplay,
  pipelineActor,
  type ReplayEnd,
  withNotes,
} from '@criticizer/core/internal';
import type { DeadLetterNote, Job, NewDeadLetter, Settlement } from '@criticizer/core/ports';
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

interface ReplayingLetter {
  id: string;
  notes: string;
}

function findReplaying(session: SqliteSession, id: string): ReplayingLetter | undefined {
  return session.first<ReplayingLetter>(`SELECT id, notes FROM dead_letters WHERE id = ? AND status = 'replaying'`, id);
}

const notesOf = ({ notes }: ReplayingLetter) => JSON.parse(notes) as Pick<DeadLetterNote, 'kind'>[];

function endLetter(session: SqliteSession, letter: ReplayingLetter, { status, text }: ReplayEnd): void {
  session.run(
    'UPDATE dead_letters SET status = ?, notes = ?, updated_at = max(updated_at, ?) WHERE id = ?',
    status,
    withNotes(letter, session.nowMs, pipelineActor, [{ kind: 'system', text }]),
    session.nowMs,
    letter.id,
  );
}

/** Moves the letter whose replay `held` is, where the settlement ends that run (ERR-9). */
export function endReplayOf(session: SqliteSession, held: Job, settlement: Settlement, lacksMail: boolean): void {
  const letter = held.replayOf === null ? undefined : findReplaying(session, held.replayOf.deadLetterId);
  if (letter === undefined) return;
  const end = endReplay(held, settlement, { lacksMail, notes: notesOf(letter) });
  if (end !== null) endLetter(session, letter, end);
}

/** Reopens the letter whose replay was the job that a cancel has just ended; `id` is null where it was none. */
export function reopenLetter(session: SqliteSession, id: string | null, reason: string): void {
  const letter = id === null ? undefined : findReplaying(session, id);
  if (letter !== undefined) endLetter(session, letter, endCancelledReplay(notesOf(letter), reason));
}
