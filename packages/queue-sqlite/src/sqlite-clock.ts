import type { SqliteTx } from './sqlite-database.js';
import { createSession } from './sqlite-session.js';

// The stored instant follows the host's clock. When the host's falls behind it, stored time goes on at half the host's pace until the host
// has caught up: it never falls, and it never stands still, so leases still end and delays still pass (INV-6).
const next = 'CASE WHEN ? >= now_ms THEN ? ELSE now_ms + max(0, ? - host_ms) / 2.0 END';

/** Moves the store's clock on, inside a write transaction, and gives the new instant. Writes first, so that a transaction has its write lock from here on. */
export function tickClock(handle: SqliteTx, hostMs: number): number {
  const sql = `UPDATE criticizer_clock SET now_ms = ${next}, host_ms = ? WHERE id = 1 RETURNING CAST(now_ms AS INTEGER) AS now_ms`;
  const row = createSession(handle, hostMs).first<{ now_ms: number }>(sql, hostMs, hostMs, hostMs, hostMs);
  return row?.now_ms ?? hostMs;
}

/**
 * The same under a write lock that is held: writes only where the host's clock has moved, so that most of a busy store's commits do not. Where this
 * connection did not tick at the same millisecond it hardly was another's: written without a look.
 */
export function createLockedClock(handle: SqliteTx): (hostMs: number) => number {
  const sql = `SELECT CAST(${next} AS INTEGER) AS now_ms, host_ms FROM criticizer_clock WHERE id = 1`;
  let tickedAt: number | undefined;
  return (hostMs) => {
    const isLikelyWritten = hostMs === tickedAt;
    tickedAt = hostMs;
    const row = isLikelyWritten
      ? createSession(handle, hostMs).first<{ now_ms: number; host_ms: number }>(sql, hostMs, hostMs, hostMs)
      : undefined;
    return row?.host_ms === hostMs ? row.now_ms : tickClock(handle, hostMs);
  };
}

/** The same instant without writing, for reads. */
export function readClock(handle: SqliteTx, hostMs: number): number {
  const sql = `SELECT CAST(${next} AS INTEGER) AS now_ms FROM criticizer_clock WHERE id = 1`;
  const row = createSession(handle, hostMs).first<{ now_ms: number }>(sql, hostMs, hostMs, hostMs);
  return row?.now_ms ?? hostMs;
}
