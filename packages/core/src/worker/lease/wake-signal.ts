import type { Clock } from '../../foundation/time/clock.js';

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
  let goOn: (() => void) | undefined;

  /** What wakes goes on at once; the timer is ended after. */
  function sleepUntilWoken(ms: number, signal: AbortSignal): Promise<void> {
    const timer = new AbortController();
    return new Promise<void>((resolve) => {
      const end = (): void => {
        if (goOn !== end) return; // ended before
        goOn = undefined;
        signal.removeEventListener('abort', end);
        resolve();
        setImmediate(() => timer.abort(awake));
      };
      goOn = end;
      signal.addEventListener('abort', end, { once: true });
      clock.sleep(ms, timer.signal).then(end, end);
    });
  }

  return {
    wake() {
      woken = true;
      goOn?.();
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
}
