import { setTimeout as sleep } from 'node:timers/promises';

/** A signal with a time limit of its own. */
export interface Deadline {
  /** Aborts with the given signal's reason, or with `reason` when the time is over. */
  readonly signal: AbortSignal;
  /** Stops the timer. */
  end(): void;
}

/** Limits what runs under `signal` to `ms` milliseconds in all, however lively the other end is. */
export function createDeadline(signal: AbortSignal, ms: number, reason: Error): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(reason), ms);
  return { signal: AbortSignal.any([signal, controller.signal]), end: () => clearTimeout(timer) };
}

/** Resolves once `promise` has settled in any way, or after `ms` milliseconds. */
export async function settledWithin(promise: Promise<unknown>, ms: number): Promise<void> {
  const over = new AbortController();
  const timer = sleep(ms, undefined, { signal: over.signal, ref: false });
  await Promise.race([promise, timer]).catch(() => undefined);
  over.abort();
  await timer.catch(() => undefined);
}
