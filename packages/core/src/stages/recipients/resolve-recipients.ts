import { CriticizerError } from '../../foundation/errors.js';
import type { Clock } from '../../foundation/time/clock.js';
import type { Recipient, RecipientRequest, RecipientResolver } from './recipient-resolver.js';

export interface ResolveRecipientsOptions {
  resolver: RecipientResolver;
  clock: Clock;
  /** Milliseconds that the resolver may take. */
  timeoutMs: number;
  /** Ends the wait early; rejects with its reason. */
  signal: AbortSignal;
}

/**
 * The resolver's answer, or a rejection with `RECIPIENTS_TIMEOUT` (upstream) once its time is over:
 * a directory that never answers must not hold a worker. The resolver's signal aborts in both cases.
 */
export async function resolveRecipients(
  { resolver, clock, timeoutMs, signal }: ResolveRecipientsOptions,
  request: RecipientRequest,
): Promise<readonly Recipient[]> {
  signal.throwIfAborted();
  const over = new AbortController();
  const stop = (): void => over.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const timeout = clock.sleep(timeoutMs, over.signal).then((): never => {
    const message = `The recipients of a review were not resolved within ${timeoutMs} ms.`;
    const error = new CriticizerError('RECIPIENTS_TIMEOUT', message, { category: 'upstream' });
    over.abort(error);
    throw error;
  });
  const answer = resolver.resolve(request, { signal: over.signal });
  for (const one of [timeout, answer]) one.catch(() => undefined);
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    signal.removeEventListener('abort', stop);
    over.abort();
  }
}
