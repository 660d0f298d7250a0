import type { Clock } from '../../foundation/time/clock.js';

/** Pauses before the write is tried again, in milliseconds. */
const PAUSES_MS = [200, 1_000, 5_000];

/** How a write is tried again. */
export interface InsistOptions {
  clock: Pick<Clock, 'sleep'>;
  /** Receives the error of each try that another one follows. */
  onFailed(error: unknown): void;
}

/**
 * Writes that something was sent: without it, it would be sent once more, so the write is tried
 * again while the store comes back (NOT-7). Rejects with the error of the fourth try.
 */
export async function insistOnWrite<T>(write: () => Promise<T>, { clock, onFailed }: InsistOptions): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await write();
    } catch (error) {
      onFailed(error);
      await clock.sleep(pauseMs);
    }
  }
  return write();
}
