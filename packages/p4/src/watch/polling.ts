import type { Clock, Random } from '@criticizer/core/ports';
import { type BackoffPolicy, backoffMs } from '@criticizer/core/queue';

export interface PollingOptions {
  poll(signal: AbortSignal): Promise<void>;
  /** Pause after a poll that went well, give or take 10 %; asked anew each time. */
  pollMs(): number;
  /** Pauses after failures in a row, with full jitter (ERR-2). */
  backoff: BackoffPolicy;
  onFailure(error: unknown): void;
  /** Called after each poll that went well. */
  onSuccess?: (() => void) | undefined;
  clock: Clock;
  random: Random;
  /** Ends it. */
  stopping: AbortSignal;
}

/** Runs `poll` again and again until the signal aborts, never two at once. */
export function createPolling(options: PollingOptions): { start(): void; ended(): Promise<void> } {
  const { clock, random, stopping } = options;
  let running: Promise<void> | undefined;
  async function run(): Promise<void> {
    for (let failures = 0; !stopping.aborted; ) {
      try {
        await options.poll(stopping);
        failures = 0;
        options.onSuccess?.();
      } catch (error) {
        if (stopping.aborted) return;
        failures += 1;
        options.onFailure(error);
      }
      const pauseMs =
        failures === 0 ? options.pollMs() * (0.9 + random.next() * 0.2) : backoffMs(options.backoff, failures, random);
      await clock.sleep(pauseMs, stopping).catch(() => undefined);
    }
  }
  return {
    start() {
      if (!stopping.aborted) running ??= run();
    },
    ended: async () => running,
  };
}
