import { attemptsOf, describeCause } from '@criticizer/core/internal';
import type { Job, NewDeadLetter } from '@criticizer/core/ports';
import { instantColumns } from '../shared/instants.js';
import type { PgSession } from '../shared/pg-session.js';
import { rowIdSql } from '../shared/row-id.js';

/** What to select for a `DeadLetterRow`. */
export const letterColumns = `id::text AS id, job_id::text AS job_id, kind, changelist_id, stage, cause_key, cause, attempts, error_class, category,
  last_stack, sanitized_context::text AS sanitized_context, escalation, ${instantColumns('dead_letters', ['first_failure_at', 'last_failure_at', 'created_at', 'updated_at'])},
  status, replays,
  replay_of::text AS replay_of, notes::text AS notes`;

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
  const causes = failing.map(({ letter }) => describeCause(letter));
  const input = failing.map(({ job, letter }, n) => ({
    tail: idTail(),
    job_id: job.id,
    kind: job.kind,
    changelist_id: job.changelistId,
    stage: job.stage,
    cause_key: causes[n]?.key,
    cause: causes[n]?.message,
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
    `INSERT INTO {schema}.dead_letters (id, job_id, kind, changelist_id, stage, cause_key, cause, attempts, error_class, category,
        last_stack, sanitized_context, escalation, first_failure_at, last_failure_at, created_at, updated_at, status, replays, replay_of, notes)
      SELECT ${rowIdSql('x.tail', 'x.now_at')}, x.job_id, x.kind, x.changelist_id, x.stage, x.cause_key, x.cause, x.attempts, x.error_class, x.category, x.last_stack,
        x.context::json, x.escalation, x.first_failure_at, x.now_at, x.now_at, x.now_at, 'open', 0, x.replay_of, '[]'
      FROM json_to_recordset($1::json) AS x(tail text, job_id uuid, kind text, changelist_id text, stage text, cause_key text, cause text,
        attempts int,
        error_class text, category text, last_stack text, context text, escalation text, first_failure_at timestamptz, now_at timestamptz,
        replay_of uuid)`,
    JSON.stringify(input),
  );
}
