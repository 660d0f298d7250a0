import { moveLeases } from './move-leases.js';
import type { SqliteTx } from './sqlite-database.js';
import { createSession, type SqliteSession } from './sqlite-session.js';

/** One look at the host's clocks: the time it says it is, which may be set, and the time since some start, which only passes. */
export interface HostInstant {
  wallMs: number;
  monotonicMs: number;
}

/** What passes is the same for all processes of a host: it counts from the host's start. Where it is not, stored time only loses pace. */
export function readHost(): HostInstant {
  const [seconds, nanoseconds] = process.hrtime();
  return { wallMs: Date.now(), monotonicMs: seconds * 1_000 + nanoseconds / 1e6 };
}

/** The store's instant, and the host's clocks when it was written. */
interface StoredClock {
  now_ms: number;
  host_ms: number;
  monotonic_ms: number;
}

/** Where the wall clock was set back, no more than this counts as passed: a process that works on the queue does not leave its clock alone longer. */
const longestLookMs = 60_000;

/**
 * What has passed by the monotonic clock, and by the wall clock too unless that was set back: processes whose monotonic clocks disagree, as in
 * time namespaces, cannot make stored time leap.
 */
function passedMs(stored: StoredClock, { wallMs, monotonicMs }: HostInstant): number {
  const byWall = wallMs < stored.host_ms ? longestLookMs : wallMs - stored.host_ms + 1; // 1: wall clocks are cut to whole milliseconds
  return Math.max(0, Math.min(monotonicMs - stored.monotonic_ms, byWall));
}

/** Behind a stored time that is ahead of the wall clock: it goes on at so much of the host's pace until the wall clock has caught up. */
const paceAhead = 0.9;

/** The stored instant follows the host's wall clock; it never falls, and it never stands still, so leases still end and delays still pass (INV-6). */
function nextMs(stored: StoredClock, host: HostInstant): number {
  return host.wallMs >= stored.now_ms ? host.wallMs : stored.now_ms + paceAhead * passedMs(stored, host);
}

/** A wall clock that was set forward by more than this moves the leases with it; less is no more than a late heartbeat. */
const smallLeapMs = 250;

const columns = 'now_ms, host_ms, monotonic_ms';
const lookSql = `SELECT ${columns} FROM criticizer_clock WHERE id = 1`;
const lockSql = `UPDATE criticizer_clock SET id = 1 WHERE id = 1 RETURNING ${columns}`;
const writeSql = 'UPDATE criticizer_clock SET now_ms = ?, host_ms = ?, monotonic_ms = ? WHERE id = 1';

/** Under the write lock. */
function move(session: SqliteSession, stored: StoredClock, host: HostInstant): number {
  const next = nextMs(stored, host);
  session.run(writeSql, next, host.wallMs, host.monotonicMs);
  const passed = host.monotonicMs - stored.monotonic_ms; // below 0 after a start of the host, which nobody who holds a lease has survived
  const leapMs = next - stored.now_ms - passed;
  if (passed >= 0 && leapMs > smallLeapMs) moveLeases(session, Math.round(leapMs));
  return Math.trunc(next);
}

/**
 * Moves the store's clock on, inside a write transaction, and gives the new instant. Writes first, so that a transaction has its write lock from here
 * on; the host's clocks are read behind it: others may have ticked while this one waited.
 */
export function tickClock(handle: SqliteTx, host: () => HostInstant): number {
  const session = createSession(handle, 0);
  const stored = session.first<StoredClock>(lockSql);
  return stored === undefined ? host().wallMs : move(session, stored, host());
}

/** The same under a write lock that is held: writes only where the host's clock has moved, so that most of a busy store's commits do not. */
export function tickLockedClock(handle: SqliteTx, host: HostInstant): number {
  const session = createSession(handle, host.wallMs);
  const stored = session.first<StoredClock>(lookSql);
  if (stored === undefined) return host.wallMs;
  return stored.host_ms === host.wallMs ? Math.trunc(stored.now_ms) : move(session, stored, host);
}

/** The same instant without writing, for reads. */
export function readClock(handle: SqliteTx, host: HostInstant): number {
  const stored = createSession(handle, host.wallMs).first<StoredClock>(lookSql);
  return stored === undefined ? host.wallMs : Math.trunc(nextMs(stored, host));
}
