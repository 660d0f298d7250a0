import type { SqliteSession } from './sqlite-session.js';

/** Every lease of the store, by the indexes that find leased rows, so that a long history costs nothing. */
const leases = [
  `UPDATE work_queue SET lease_expires_at = lease_expires_at + ? WHERE status = 'running'`,
  `UPDATE notify_outbox SET lease_expires_at = lease_expires_at + ? WHERE status = 'sending'`,
  `UPDATE notify_outbox SET lease_expires_at = lease_expires_at + ? WHERE status = 'sent' AND verified_at IS NULL AND claim_token IS NOT NULL`,
  `UPDATE audit_outbox SET lease_expires_at_utc = lease_expires_at_utc + ? WHERE delivery_state = 'in_progress'`,
  `UPDATE artifact_manifest SET sweep_expires_at = sweep_expires_at + ? WHERE status <> 'deleted' AND sweep_token IS NOT NULL`,
];

/**
 * Stored time has leapt: leases leap with it and keep what they had left. Their holders live, and
 * were about to renew them; of those that do not, others wait for the rest of the lease, no longer.
 */
export function moveLeases(session: SqliteSession, ms: number): void {
  for (const sql of leases) session.run(sql, ms);
}
