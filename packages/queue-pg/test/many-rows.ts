import type pg from 'pg';

/** How many rows each table gets. */
export interface RowCounts {
  events: number;
  jobs: number;
  letters: number;
}

/** The tables that grow. */
export const grownTables = ['audit_events', 'audit_outbox', 'audit_dead_letter', 'work_queue', 'dead_letters'];

const rowId = `lpad(to_hex(n), 32, '0')::uuid`;
/** The oldest five rows have a value of their own: a walk from the newest row would read all to find them. */
const oneOf = (word: string, values = 20): string => `CASE WHEN n <= 5 THEN 'rare' ELSE '${word}' || n % ${values} END`;

/**
 * A trail years old, whose events were delivered but for one in a hundred, and one in five hundred
 * that is dead; jobs of which one in fifty is open; dead letters of a thousand causes, one in ten
 * open. Triggers and references rest meanwhile, which the superuser of a test may ask for.
 */
export async function fillManyRows(client: pg.PoolClient, schema: string, counts: RowCounts): Promise<void> {
  const statements = [
    `INSERT INTO ${schema}.audit_events (id, occurred_at_utc, actor_type, actor_id, tenant_id, action, target_type, target_id,
        result_status, payload_redacted, payload_hash_sha256, created_at_utc)
      SELECT ${rowId}, to_timestamp(n), 'system', ${oneOf('actor')}, ${oneOf('tenant')}, ${oneOf('action')}, 'user',
        ${oneOf('target', 5_000)}, 'success', '{}', 'x', to_timestamp(n) FROM generate_series(1, ${counts.events}) AS n`,
    `INSERT INTO ${schema}.audit_outbox (id, audit_event_id, destination, idempotency_key, delivery_state, attempt_count,
        next_attempt_at_utc, created_at_utc, updated_at_utc, lease_owner, lease_expires_at_utc)
      SELECT ${rowId}, ${rowId}, ${oneOf('siem', 5)}, 'k' || n, CASE WHEN n % 200 = 1 THEN 'pending' WHEN n % 200 = 2 THEN 'retry_wait'
          WHEN n % 500 = 7 THEN 'dead_lettered' WHEN n % 5000 = 9 THEN 'in_progress' ELSE 'delivered' END, 1, to_timestamp(n), to_timestamp(n),
        to_timestamp(n), CASE WHEN n % 5000 = 9 THEN 'w#t' END, CASE WHEN n % 5000 = 9 THEN to_timestamp(n) END
      FROM generate_series(1, ${counts.events}) AS n`,
    `INSERT INTO ${schema}.audit_dead_letter (id, outbox_id, audit_event_id, destination, final_attempt_count, first_failed_at_utc,
        dead_lettered_at_utc, error_summary, operator_status, operator_id, updated_at_utc)
      SELECT ${rowId}, ${rowId}, ${rowId}, ${oneOf('siem', 5)}, 5, to_timestamp(n), to_timestamp(n), 'x',
        CASE WHEN n % 5000 = 7 THEN 'open' ELSE 'resolved' END, ${oneOf('actor')}, to_timestamp(n)
      FROM generate_series(7, ${counts.events}, 500) AS n`,
    `INSERT INTO ${schema}.work_queue (id, kind, payload, status, ready, stage, priority, run_at, created_at, updated_at, finished_at,
        idempotency_key, changelist_id, claimed_by, claim_token, lease_expires_at, attempts, lost_leases, outputs, transition_no)
      SELECT ${rowId}, 'review', '{}', status, status = 'queued' AND n % 200 = 1, 'fetch', n % 3, now(), to_timestamp(n), now(),
        CASE WHEN status IN ('completed', 'failed') THEN to_timestamp(n) END, n, ${oneOf('main/', 5_000)},
        CASE WHEN status = 'running' THEN 'w' END, CASE WHEN status = 'running' THEN 't' END,
        CASE WHEN status = 'running' THEN now() + interval '1 day' END, '{}', 0, '{}', 1
      FROM (SELECT n, CASE WHEN n <= 5 THEN 'failed' WHEN n % 200 IN (1, 2) THEN 'queued' WHEN n % 2000 = 3 THEN 'running'
        WHEN n % 100 = 4 THEN 'failed' ELSE 'completed' END AS status FROM generate_series(1, ${counts.jobs}) AS n) AS jobs`,
    `INSERT INTO ${schema}.dead_letters (id, job_id, kind, changelist_id, stage, cause_key, cause, attempts, error_class, category,
        last_stack, sanitized_context, escalation, first_failure_at, last_failure_at, created_at, updated_at, status, replays, notes)
      SELECT ${rowId}, ${rowId}, ${oneOf('kind')}, ${oneOf('main/', 5_000)}, ${oneOf('stage', 6)}, ${oneOf('cause', 1_000)}, 'why', 1,
        ${oneOf('Error')}, 'bug', 'at', '{}', 'operator', to_timestamp(n), to_timestamp(n), to_timestamp(n), to_timestamp(n),
        CASE WHEN n <= 5 THEN 'triaged' WHEN n % 10 = 1 THEN 'open' ELSE 'resolved' END, 0, '[]'
      FROM generate_series(1, ${counts.letters}) AS n`,
  ];
  await client.query('BEGIN; SET LOCAL session_replication_role = replica; SET LOCAL synchronous_commit = off');
  for (const statement of statements) await client.query(statement);
  await client.query('COMMIT');
  await client.query(`ANALYZE ${grownTables.map((table) => `${schema}.${table}`).join(', ')}`);
}
