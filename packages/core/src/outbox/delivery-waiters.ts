import type { Clock } from '../foundation/time/clock.js';

/** Who waits in this process for the end of a row's delivery. */
export interface DeliveryWaiters {
  /** Resolves when each of these rows has ended once, or after `waitMs`. Rejects with the signal's reason. */
  wait(rowIds: readonly string[], limits: { waitMs: number; signal: AbortSignal }): Promise<void>;
  /** A delivery of the row ended, well or not. */
  ended(rowId: string): void;
}

const done = new Error('done');

export function createDeliveryWaiters(clock: Pick<Clock, 'sleep'>): DeliveryWaiters {
  const waiting = new Map<string, Set<() => void>>();

  function whenEnded(rowId: string): { ended: Promise<void>; forget(): void } {
    const listeners = waiting.get(rowId) ?? new Set();
    waiting.set(rowId, listeners);
    let listener: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      listener = resolve;
      listeners.add(listener);
    });
    const forget = (): void => {
      listeners.delete(listener);
      if (listeners.size === 0 && waiting.get(rowId) === listeners) waiting.delete(rowId);
    };
    return { ended, forget };
  }

  return {
    async wait(rowIds, { waitMs, signal }) {
      signal.throwIfAborted();
      const over = new AbortController();
      const onAbort = (): void => over.abort(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      const rows = rowIds.map(whenEnded);
      const late = clock.sleep(waitMs, over.signal);
      late.catch(() => undefined);
      try {
        await Promise.race([Promise.all(rows.map(({ ended }) => ended)), late]);
      } finally {
        signal.removeEventListener('abort', onAbort);
        over.abort(done);
        for (const { forget } of rows) forget();
      }
    },
    ended(rowId) {
      for (const listener of waiting.get(rowId) ?? []) listener();
    },
  };
}
