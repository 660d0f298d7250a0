import type { Clock } from '../../foundation/time/clock.js';

/** A clock that stands still until it is advanced, and then ends the sleeps that are due. */
export interface ManualClock extends Clock {
  /**
   * Moves time forward and lets every sleeper whose time has come run, in order of their deadlines,
   * before it resolves.
   */
  advance(ms: number): Promise<void>;
  /**
   * Time passes while nothing runs, as in a blocked event loop or a frozen process: who is overdue
   * wakes at the next `advance`.
   */
  freeze(ms: number): void;
  /**
   * Sets the wall clock forward, or back where `ms` is negative, as a correction of the host's
   * clock does: no time passes.
   */
  step(ms: number): void;
  /** How many sleeps are pending: lets a test wait for a worker to go to sleep. */
  sleepers(): number;
}

interface Sleeper {
  at: number;
  wake(): void;
}

/** A clock that stands still until told. `startMs` defaults to 2026-01-01T00:00:00Z. */
export function createManualClock(startMs = Date.UTC(2026, 0, 1)): ManualClock {
  let now = startMs;
  let offMs = 0;
  let sleeping: Sleeper[] = [];
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    nowMs: () => now + offMs,
    monotonicMs: () => now - startMs,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          sleeping = sleeping.filter((other) => other !== sleeper);
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          at: now + Math.max(0, ms),
          wake() {
            signal?.removeEventListener('abort', onAbort);
            resolve();
          },
        };
        sleeping.push(sleeper);
        signal?.addEventListener('abort', onAbort, { once: true });
      });
    },
    async advance(ms) {
      const target = now + ms;
      await settle();
      for (;;) {
        const next = sleeping.filter((s) => s.at <= target).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        now = Math.max(now, next.at);
        sleeping = sleeping.filter((s) => s !== next);
        next.wake();
        await settle();
      }
      now = target;
      await settle();
    },
    freeze(ms) {
      now += ms;
    },
    step(ms) {
      offMs += ms;
    },
    sleepers: () => sleeping.length,
  };
}
