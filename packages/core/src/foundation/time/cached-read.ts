import type { Clock } from './clock.js';

/** How old a remembered value may be. */
export interface CachedReadOptions {
  /** Milliseconds, counted from before the read. */
  cacheMs: number;
  clock: Pick<Clock, 'monotonicMs'>;
}

/**
 * The same read, whose value is remembered for `cacheMs`; calls that come together share one read.
 * A read that rejects is remembered by nobody: the next call reads again.
 */
export function createCachedRead<T>(read: () => Promise<T>, { cacheMs, clock }: CachedReadOptions): () => Promise<T> {
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
    reading ??= readNow().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}
