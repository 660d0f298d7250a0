/** Runs tasks, at most `max` at a time, in the order asked. A task whose signal aborts while it waits never starts. */
export function createConcurrencyLimit(max: number): <T>(task: () => Promise<T>, signal: AbortSignal) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];

  const acquire = (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (running < max) {
      running += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        waiting.splice(waiting.indexOf(start), 1);
        reject(signal.reason);
      };
      waiting.push(start);
      signal.addEventListener('abort', leave, { once: true });
    });
  };

  const release = (): void => {
    const next = waiting.shift();
    // The place passes on: the count stays.
    if (next === undefined) running -= 1;
    else next();
  };

  return async (task, signal) => {
    await acquire(signal);
    try {
      return await task();
    } finally {
      release();
    }
  };
}
