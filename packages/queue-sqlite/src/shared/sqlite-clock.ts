import { moveLeases } from './move-leases.js';
import type { SqliteTx } from './sqlite-database.js';
import { createSession, type SqliteSession } from './sqlite-session.js';

/**
 * One look at the host's clocks: the time it says it is, which may be set, and the time since some
 * start, which only passes.
 */
export interface HostInstant {
  wallMs: number;
  monotonicMs: number;
}

/**
 * What passes is the same for all processes of a host: it counts from the host's start. Where it is
 * not, stored time only loses pace.
 */
export function readHost(): HostInstant {
  const [seconds, nanoseconds] = process.hrtime();
  return { wallMs: Date.now(), monotonicMs: seconds * 1_000 + nanoseconds / 1e6 };
}

/** The store's instant, the host's clocks when it was written, and what is known of a leap of the wall clock. */
interface StoredClock {
  now_ms: number;
  host_ms: number;
  monotonic_ms: number;
  /** The host's clocks when the wall clock was first seen ahead of what passed; null while it is not. */
  leap_wall_ms: number | null;
  leap_monotonic_ms: number | null;
  /** Leaps that were followed lately, in all; expiry leaves them out until `doubted_until_ms`. */
  doubted_ms: number;
  doubted_until_ms: number;
}

/**
 * Where the wall clock was set back, no more than this counts as passed: a process that works on
 * the queue does not leave its clock alone longer.
 */
const longestLookMs = 60_000;

/**
 * What has passed by the monotonic clock, and by the wall clock too unless that was set back:
 * processes whose monotonic clocks disagree, as in time namespaces, cannot make stored time leap.
 */
function passedMs(stored: StoredClock, { wallMs, monotonicMs }: HostInstant): number {
  // 1: wall clocks are cut to whole milliseconds.
  const byWall = wallMs < stored.host_ms ? longestLookMs : wallMs - stored.host_ms + 1;
  return Math.max(0, Math.min(monotonicMs - stored.monotonic_ms, byWall));
}

/**
 * Behind a stored time that is ahead of the wall clock: it goes on at so much of the host's pace
 * until the wall clock has caught up.
 */
const paceAhead = 0.9;

/**
 * A wall clock that is ahead of what passed by no more than this is followed at once: it was set
 * right, or a look came late.
 */
const trustedStepMs = 2_000;
/**
 * One further ahead is followed when both clocks say that it has been so for this long: what jumps
 * for seconds moves nothing.
 */
const confirmMs = 60_000;
/** So long after such a leap nothing expires by it: what was set wrong for minutes destroys nothing. */
const doubtMs = 600_000;

/**
 * The stored instant follows the host's wall clock; it never falls, and it never stands still, so
 * leases still end and delays still pass (INV-6). A wall clock that leaps ahead is followed once
 * the leap has lasted (ART-7); until then stored time goes on by what has passed.
 */
function nextClock(stored: StoredClock, host: HostInstant): StoredClock {
  const passed = passedMs(stored, host);
  const clock = {
    ...stored,
    host_ms: host.wallMs,
    monotonic_ms: host.monotonicMs,
    leap_wall_ms: null,
    leap_monotonic_ms: null,
  };
  if (host.wallMs < stored.now_ms) return { ...clock, now_ms: stored.now_ms + paceAhead * passed };
  const leapMs = host.wallMs - stored.now_ms - passed;
  // A store that was never used has no time yet.
  if (leapMs <= trustedStepMs || stored.now_ms === 0) return { ...clock, now_ms: host.wallMs };
  const since = leapSince(stored, host);
  if (Math.min(host.wallMs - since.wallMs, host.monotonicMs - since.monotonicMs) < confirmMs)
    return {
      ...clock,
      now_ms: stored.now_ms + passed,
      leap_wall_ms: since.wallMs,
      leap_monotonic_ms: since.monotonicMs,
    };
  const doubted_ms = leapMs + (stored.now_ms < stored.doubted_until_ms ? stored.doubted_ms : 0);
  return { ...clock, now_ms: host.wallMs, doubted_ms, doubted_until_ms: host.wallMs + doubtMs };
}

/**
 * When the leap under way was first seen: now, where none was, where the wall clock has leapt again
 * since, or after a start of the host.
 */
function leapSince({ leap_wall_ms, leap_monotonic_ms }: StoredClock, host: HostInstant): HostInstant {
  if (leap_wall_ms === null || leap_monotonic_ms === null || host.monotonicMs < leap_monotonic_ms) return host;
  const leaptAgain = host.wallMs - leap_wall_ms - (host.monotonicMs - leap_monotonic_ms) > trustedStepMs;
  return leaptAgain ? host : { wallMs: leap_wall_ms, monotonicMs: leap_monotonic_ms };
}

/**
 * A wall clock that was set forward by more than this moves the leases with it; less is no more
 * than a late heartbeat.
 */
const smallLeapMs = 250;

const columns = 'now_ms, host_ms, monotonic_ms, leap_wall_ms, leap_monotonic_ms, doubted_ms, doubted_until_ms';
const lookSql = `SELECT ${columns} FROM criticizer_clock WHERE id = 1`;
const lockSql = `UPDATE criticizer_clock SET id = 1 WHERE id = 1 RETURNING ${columns}`;
const writeSql = 'UPDATE criticizer_clock SET now_ms = ?, host_ms = ?, monotonic_ms = ? WHERE id = 1';
const writeLeapSql =
  'UPDATE criticizer_clock SET leap_wall_ms = ?, leap_monotonic_ms = ?, doubted_ms = ?, doubted_until_ms = ? WHERE id = 1';

/** Under the write lock. */
function move(session: SqliteSession, stored: StoredClock, host: HostInstant): number {
  const next = nextClock(stored, host);
  session.run(writeSql, next.now_ms, host.wallMs, host.monotonicMs);
  // Most ticks see no leap and write none.
  if (next.leap_wall_ms !== stored.leap_wall_ms || next.doubted_until_ms !== stored.doubted_until_ms)
    session.run(writeLeapSql, next.leap_wall_ms, next.leap_monotonic_ms, next.doubted_ms, next.doubted_until_ms);
  // Below 0 after a start of the host, which nobody who holds a lease has survived.
  const passed = host.monotonicMs - stored.monotonic_ms;
  const leapMs = next.now_ms - stored.now_ms - passed;
  if (passed >= 0 && leapMs > smallLeapMs) moveLeases(session, Math.round(leapMs));
  return Math.trunc(next.now_ms);
}

/** The instant up to which things expire: the session's, without what the wall clock leapt lately (ART-7). */
export function expiryMs(session: SqliteSession): number {
  const stored = session.first<StoredClock>(lookSql);
  if (stored === undefined || session.nowMs >= stored.doubted_until_ms) return session.nowMs;
  return Math.trunc(session.nowMs - stored.doubted_ms);
}

/**
 * Moves the store's clock on, inside a write transaction, and gives the new instant. Writes first,
 * so that a transaction has its write lock from here on; the host's clocks are read behind it:
 * others may have ticked while this one waited.
 */
export function tickClock(handle: SqliteTx, host: () => HostInstant): number {
  const session = createSession(handle, 0);
  const stored = session.first<StoredClock>(lockSql);
  return stored === undefined ? host().wallMs : move(session, stored, host());
}

/**
 * The same under a write lock that is held: writes only where the host's clock has moved, so that
 * most of a busy store's commits do not.
 */
export function tickLockedClock(handle: SqliteTx, host: HostInstant): number {
  const session = createSession(handle, host.wallMs);
  const stored = session.first<StoredClock>(lookSql);
  if (stored === undefined) return host.wallMs;
  return stored.host_ms === host.wallMs ? Math.trunc(stored.now_ms) : move(session, stored, host);
}

/** The same instant without writing, for reads. */
export function readClock(handle: SqliteTx, host: HostInstant): number {
  const stored = createSession(handle, host.wallMs).first<StoredClock>(lookSql);
  return stored === undefined ? host.wallMs : Math.trunc(nextClock(stored, host).now_ms);
}
