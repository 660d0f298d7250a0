import {
  changePurging,
  enqueuedJob,
  type Instant,
  type JobRow,
  toDate,
  toJob,
  wholeMs,
} from '@criticizer/core/internal';
import {
  CriticizerError,
  type EnqueueResult,
  type Job,
  type JsonObject,
  type JsonValue,
  type NewJob,
} from '@criticizer/core/ports';
import { lockChangesSql } from '../shared/change-marks.js';
import { epochMs } from '../shared/instants.js';
import type { PgSession } from '../shared/pg-session.js';
import type { CarriedNotification } from '../shared/pg-wake-ups.js';
import { rowIdHeadSql } from '../shared/row-id.js';
import { jobColumns } from './job-row.js';

// Rows go in by key, so that two batches with common keys take them in one order and cannot
// deadlock. What is the same for all rows is worked out once. $2 and $3 are the notification that
// the statement carries, or null: a subquery of no row's, so it is sent once.
const insertWhere = (conflict: string) => `WITH call AS MATERIALIZED (SELECT {now} AS now, ${rowIdHeadSql} AS id_head)
  INSERT INTO {schema}.work_queue AS w (id, kind, payload, status, ready, stage, priority, run_at, created_at, updated_at,
    finished_at, idempotency_key, changelist_id, review_version, attempts, lost_leases, outputs, transition_no, result, traceparent)
  SELECT (j.id_head || j.tail)::uuid, j.kind, j.payload::json, CASE WHEN j.result IS NULL THEN 'queued' ELSE 'completed' END,
    j.result IS NULL AND j.run_at <= j.now, j.stage, j.priority, j.run_at, j.now, j.now,
    CASE WHEN j.result IS NULL THEN NULL ELSE j.now END, j.key, j.change, j.version, '{}', 0, '{}', 1, j.result::json, j.trace
  FROM (SELECT call.*, x.*, coalesce(x.at, call.now + x.delay * interval '1 millisecond') AS run_at
    FROM call, json_to_recordset($1::json) AS x(tail text, kind text, payload text, stage text, priority int, at timestamptz, delay float8,
      key text, change text, version int, result text, trace text)) AS j
  WHERE $2::text IS NULL OR (SELECT pg_notify($2, $3)) IS NOT NULL
  ORDER BY j.key COLLATE "C"
  ON CONFLICT ${conflict} DO NOTHING
  RETURNING w.id::text AS id, w.idempotency_key AS key, ${epochMs('w.run_at')} AS run_at, ${epochMs('w.created_at')} AS created_at`;
/** Of jobs without versions the key alone can stand in the way: the other unique indexes need no look. */
const insert = { byKey: insertWhere('(idempotency_key)'), byAny: insertWhere('') };

/** What of a new row the caller's words do not tell. */
interface InsertedRow {
  id: string;
  key: string;
  run_at: Instant;
  created_at: Instant;
}

/** The job as stored, from what was sent: reading a thousand rows back costs more than writing them. */
function toStoredJob({ id, run_at, created_at }: InsertedRow, job: NewJob, sent: SentJob): Job {
  const completedWith = sent.result === null ? undefined : (JSON.parse(sent.result) as JsonObject);
  const stored = { ...job, payload: JSON.parse(sent.payload) as JsonValue, completedWith };
  return enqueuedJob(stored, id, toDate(created_at), toDate(run_at));
}

type SentJob = ReturnType<typeof toInput>;

function toInput(job: NewJob, tail: string) {
  return {
    tail,
    kind: job.kind,
    payload: JSON.stringify(job.payload),
    stage: job.stage,
    priority: job.priority ?? 0,
    at: job.runAt?.toISOString() ?? null,
    delay: wholeMs(job.delayMs ?? 0),
    key: job.idempotencyKey,
    change: job.changelistId ?? null,
    version: job.reviewVersion ?? null,
    result: job.completedWith === undefined ? null : JSON.stringify(job.completedWith),
    trace: job.traceparent ?? null,
  };
}

function versioned(jobs: readonly NewJob[]): string[] {
  return [
    ...new Set(
      jobs.flatMap((job) =>
        job.reviewVersion === undefined || job.changelistId === undefined ? [] : [job.changelistId],
      ),
    ),
  ];
}

function changesOf(jobs: readonly NewJob[]): string[] {
  return [...new Set(jobs.flatMap(({ changelistId }) => (changelistId === undefined ? [] : [changelistId])))];
}

/** Refuses jobs of a change that is being purged, under the lock which the purge takes too (ruling R24). */
async function lockChanges(session: PgSession, changes: readonly string[]): Promise<void> {
  await session.all(lockChangesSql, changes);
  const purging = await session.first<{ change: string }>(
    'SELECT changelist_id AS change FROM {schema}.change_marks WHERE changelist_id = ANY($1) AND purging_since IS NOT NULL LIMIT 1',
    changes,
  );
  if (purging !== undefined) throw changePurging(purging.change);
}

/** The rows that may stand in the way, by key and by change. */
interface Standing {
  byKey: Map<string, Job>;
  byChange: Map<string, Map<number, Job>>;
}

async function readStanding(
  session: PgSession,
  jobs: readonly NewJob[],
  changes: readonly string[],
): Promise<Standing> {
  const standing: Standing = { byKey: new Map(), byChange: new Map(changes.map((change) => [change, new Map()])) };
  const rows = await session.all<JobRow>(
    `SELECT ${jobColumns} FROM {schema}.work_queue AS w WHERE w.idempotency_key = ANY($1)
      UNION ALL
      SELECT ${jobColumns} FROM {schema}.work_queue AS w WHERE w.review_version IS NOT NULL AND w.changelist_id = ANY($2)
        AND (w.changelist_id, w.review_version) IN (SELECT * FROM unnest($3::text[], $4::int[]))
      UNION ALL
      SELECT newest.* FROM unnest($2::text[]) AS change CROSS JOIN LATERAL (
        SELECT ${jobColumns} FROM {schema}.work_queue AS w WHERE w.changelist_id = change AND w.review_version IS NOT NULL
        ORDER BY w.review_version DESC LIMIT 1) AS newest`,
    jobs.map((job) => job.idempotencyKey),
    changes,
    jobs.map((job) => job.changelistId ?? ''),
    jobs.map((job) => job.reviewVersion ?? 0),
  );
  for (const row of rows) note(standing, toJob(row));
  return standing;
}

function note(standing: Standing, job: Job): void {
  standing.byKey.set(job.idempotencyKey, job);
  if (job.changelistId !== null && job.reviewVersion !== null)
    standing.byChange.get(job.changelistId)?.set(job.reviewVersion, job);
}

/** What stands in the way of a new row: its key, its version, a newer version, in this order (NOT-1, NOT-2). */
function refusal(standing: Standing, job: NewJob): EnqueueResult | undefined {
  const same = standing.byKey.get(job.idempotencyKey);
  if (same !== undefined) return { outcome: 'duplicate', job: same };
  if (job.changelistId === undefined || job.reviewVersion === undefined) return undefined;
  const versions = standing.byChange.get(job.changelistId) ?? new Map<number, Job>();
  const version = versions.get(job.reviewVersion);
  if (version !== undefined) return { outcome: 'same-version', job: version };
  const newest = versions.get(Math.max(0, ...versions.keys()));
  return newest !== undefined && (newest.reviewVersion ?? 0) > job.reviewVersion
    ? { outcome: 'older-version', job: newest }
    : undefined;
}

/** The places of the jobs that would be new rows, were they stored one after the other. */
function wanted(standing: Standing, jobs: readonly NewJob[]): number[] {
  const keys = new Set(standing.byKey.keys());
  const newest = new Map([...standing.byChange].map(([change, versions]) => [change, Math.max(0, ...versions.keys())]));
  return [...jobs.keys()].filter((n) => {
    const job = jobs[n];
    if (job === undefined || keys.has(job.idempotencyKey)) return false;
    if (job.changelistId !== undefined && job.reviewVersion !== undefined) {
      if ((newest.get(job.changelistId) ?? 0) >= job.reviewVersion) return false;
      newest.set(job.changelistId, job.reviewVersion);
    }
    keys.add(job.idempotencyKey);
    return true;
  });
}

function forget(standing: Standing, job: Job): void {
  standing.byKey.delete(job.idempotencyKey);
  if (job.changelistId !== null && job.reviewVersion !== null)
    standing.byChange.get(job.changelistId)?.delete(job.reviewVersion);
}

/** One answer a job, in order; a job sees those before it in the same call, not those after. */
function answers(standing: Standing, jobs: readonly NewJob[], stored: ReadonlyMap<number, Job>): EnqueueResult[] {
  for (const job of stored.values()) forget(standing, job);
  return jobs.map((job, n) => {
    const own = stored.get(n);
    if (own !== undefined) {
      note(standing, own);
      return { outcome: 'enqueued', job: own };
    }
    const found = refusal(standing, job);
    if (found !== undefined) return found;
    throw new CriticizerError('PG_CONFLICT', 'A row in the way of an enqueue cannot be seen from its transaction.', {
      category: 'conflict',
    });
  });
}

/** True where the jobs need a look at their changes before they are stored, and so a transaction (NOT-2). */
export function needsChangeCheck(jobs: readonly NewJob[]): boolean {
  return changesOf(jobs).length > 0;
}

const mostRounds = 5;

/**
 * Stores what is new and finds what is not. Without versions the first round inserts without
 * looking. A row that another transaction stores between the look and the insert shows as a
 * conflict; the next round then sees it.
 */
export async function enqueueJobs(
  session: PgSession,
  jobs: readonly NewJob[],
  idTail: () => string,
  carried?: CarriedNotification,
): Promise<readonly EnqueueResult[]> {
  const changes = versioned(jobs);
  const touched = changesOf(jobs);
  if (touched.length > 0) await lockChanges(session, touched);
  const statement = changes.length > 0 ? insert.byAny : insert.byKey;
  const stored = new Map<number, Job>();
  let standing: Standing = { byKey: new Map(), byChange: new Map() };
  for (let round = 1; round <= mostRounds; round++) {
    if (round > 1 || changes.length > 0) standing = await readStanding(session, jobs, changes);
    const open = wanted(standing, jobs);
    if (open.length === 0) break;
    const input = open.map((n) => toInput(jobs[n] as NewJob, idTail()));
    const rows = await session.all<InsertedRow>(
      statement,
      JSON.stringify(input),
      carried?.channel ?? null,
      carried?.payload ?? null,
    );
    const inserted = new Map(rows.map((row) => [row.key, row]));
    for (const [at, n] of open.entries()) {
      const sent = input[at] as SentJob;
      const row = inserted.get(sent.key);
      if (row !== undefined) stored.set(n, toStoredJob(row, jobs[n] as NewJob, sent));
    }
    if (rows.length === open.length) break;
  }
  return answers(standing, jobs, stored);
}
