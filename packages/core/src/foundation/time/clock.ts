/**
 * The one source of time inside the process. Deadlines use `monotonicMs`; `nowMs` is for display
 * and for stores without a clock of their own.
 */
export interface Clock {
  /** Wall clock, milliseconds since the epoch, UTC. May jump. */
  nowMs(): number;
  /** Never falls; only differences mean something. */
  monotonicMs(): number;
  /**
   * Resolves after `ms`, or rejects with the signal's reason as soon as it aborts. Waits longer
   * than a timer can hold are chunked. A pending sleep keeps the process alive: a worker runs until
   * it is stopped.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
