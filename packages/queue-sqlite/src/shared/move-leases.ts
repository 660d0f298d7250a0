import type { SqliteSession } from './sqlite-session.js';

/** Every lease of the store, by the indexes that find leased rows, so that a long history costs nothing. */
const leases: readonly { table: string; sql: string }[] = [
  {
    table: 'work_queue',
    sql: `UPDATE work_queue SET lease_expires_at = lease_expires_at + ? WHERE status = 'running'`,
  },
  {
    table: 'notify_outbox',
    sql: `UPDATE notify_outbox SET lease_expires_at = lease_expires_at + ? WHERE status = 'sending'`,
  },
  {
    table: 'notify_outbox',
    sql: `UPDATE notify_outbox SET lease_expires_at = lease_expires_at + ?
      WHERE status = 'sent' AND verified_at IS NULL AND claim_token IS NOT NULL`,
  },
  {
    table: 'audit_outbox',
    sql: `UPDATE audit_outbox SET lease_expires_at_utc = lease_expires_at_utc + ? WHERE delivery_state = 'in_progress'`,
  },
  {
    table: 'artifact_manifest',
    sql: `UPDATE artifact_manifest SET sweep_expires_at = sweep_expires_at + ?
      WHERE status <> 'deleted' AND sweep_token IS NOT NULL`,
  },
];

/**
 * Stored time has leapt: leases leap with it and keep what they had left. Their holders live, and
 * were about to renew them; of those that do not, others wait for the rest of the lease, no longer.
 * It moves the leases of every module whose table the file has: another process may use more
 * modules than this one.
 */
export function moveLeases(session: SqliteSession, ms: number): void {
  const tables = session.all<{ name: string }>(`SELECT lower(name) AS name FROM sqlite_master WHERE type = 'table'`);
  const there = new Set(tables.map(({ name }) => name));
  for (const { table, sql } of leases) if (there.has(table)) session.run(sql, ms);
}
