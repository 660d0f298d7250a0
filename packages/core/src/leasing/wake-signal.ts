import type { Clock } from '../time/clock.js';

/** A flag that one waiter sleeps on. A wake between `clear` and `wait` is kept, so none is lost. */
export interface WakeSignal {
  wake(): void;
  clear(): void;
  /** True when woken, false when `ms` passed; returns false at once when `signal` is or becomes aborted. */
  wait(ms: number, signal: AbortSignal): Promise<boolean>;
}

/** Made once: an abort without a reason makes an exception with its stack, at every wake. */
const awake = new Error('awake');

export function createWakeSignal(clock: Clock): WakeSignal {
  let woken = false;
  let waiting: AbortController | undefined;
  return {
    wake() {
      woken = true;
      waiting?.abort(awake);
    },
    clear() {
      woken = false;
    },
    async wait(ms, signal) {
      if (signal.aborted) return false;
      if (!woken) await sleepUntilWoken(ms, signal);
      const was = woken;
      woken = false; // one wake, one return: a waiter that cannot act yet sleeps again
      return was;
    },
  };

  async function sleepUntilWoken(ms: number, signal: AbortSignal): Promise<void> {
    const mine = new AbortController();
    waiting = mine;
    const onAbort = (): void => mine.abort(awake);
    signal.addEventListener('abort', onAbort, { once: true });
    await clock.sleep(ms, mine.signal).catch(() => undefined);
    signal.removeEventListener('abort', onAbort);
    waiting = undefined;
  }
}
