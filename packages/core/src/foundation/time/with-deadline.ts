import { CriticizerError } from '../errors.js';
import type { Clock } from './clock.js';

/** Made once: an abort without a reason makes an exception with its stack, at every call. */
const answered = new Error('answered');

/** How long a call may take, and what its caller gets once it is late. */
export interface DeadlineOptions {
  clock: Pick<Clock, 'sleep'>;
  /** Milliseconds that the call may take. */
  ms: number;
  /** What is called, for the error's message: `outbox.heartbeat`. */
  call: string;
  /** Ends the wait early; rejects with its reason. */
  signal?: AbortSignal | undefined;
  /** Makes what a late call rejects with. Default: `STORE_TIMEOUT`. */
  late?: (() => Error) | undefined;
}

/**
 * Gives what `work` gives if it settles within `ms`. Else rejects with `STORE_TIMEOUT` (upstream)
 * and lets the call go: a half-open connection may never answer, and whoever holds leases must not
 * wait for it. What the call does later is fenced by the lease, and its result is dropped.
 */
export async function withDeadline<T>(
  { clock, ms, call, signal, late }: DeadlineOptions,
  work: Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const stop = (): void => over.abort(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  const timeout = clock.sleep(ms, over.signal).then(() => {
    if (late !== undefined) throw late();
    throw new CriticizerError('STORE_TIMEOUT', `${call} did not answer within ${ms} ms; the call is given up.`, {
      category: 'upstream',
    });
  });
  timeout.catch(() => undefined);
  work.catch(() => undefined);
  try {
    if (signal?.aborted === true) throw signal.reason;
    return await Promise.race([work, timeout]);
  } finally {
    signal?.removeEventListener('abort', stop);
    over.abort(answered);
  }
}
