import type { Clock } from './clock.js';

/** How old a remembered value may be. */
export interface CachedReadOptions {
  /** Milliseconds, counted from before the read. */
  cacheMs: number;
  clock: Pick<Clock, 'monotonicMs'>;
  /**
   * Whether calls that come together share one read; default true. False where a call inside a transaction
   * must not wait for one outside, which waits for the transaction.
   */
  sharesReads?: boolean | undefined;
}

/**
 * The same read, whose value is remembered for `cacheMs`; calls that come together share one read.
 * A read that rejects is remembered by nobody: the next call reads again.
 */
export function createCachedRead<T>(read: () => Promise<T>, options: CachedReadOptions): () => Promise<T> {
  const { cacheMs, clock, sharesReads = true } = options;
  let known: { value: T; asOf: number } | undefined;
  let reading: Promise<T> | undefined;
  const readNow = async (): Promise<T> => {
    const asOf = clock.monotonicMs();
    const value = await read();
    known = { value, asOf };
    return value;
  };
  return async () => {
    if (known !== undefined && clock.monotonicMs() - known.asOf < cacheMs) return known.value;
    if (!sharesReads) return readNow();
    reading ??= readNow().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}
