import type { Clock } from './clock.js';

/** setTimeout holds at most 2^31 - 1 ms and fires at once above that. */
const longestTimerMs = 2 ** 31 - 1;

function sleepOnce(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** The machine's clock and timers. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    for (let left = Math.max(0, ms); ; left -= longestTimerMs) {
      await sleepOnce(Math.min(left, longestTimerMs), signal);
      if (left <= longestTimerMs) return;
    }
  },
};
