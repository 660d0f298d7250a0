import { CriticizerError } from '../foundation/errors.js';
import type { Clock } from '../foundation/time/clock.js';
import { withDeadline } from '../foundation/time/with-deadline.js';
import type { LlmCallOptions, LlmProvider, LlmRequest, PreparedLlmRequest } from '../llm/llm-provider.js';

/**
 * Asks the provider for the exact request and waits at most `timeoutMs` for it. A preparation that
 * takes longer depends on something that is out of reach, a token service for instance: rejects
 * with `LLM_PREPARE_TIMEOUT` (network), which parks, and aborts the signal that the provider got.
 * Rejects with the signal's reason, and with what the provider throws.
 */
export async function prepareRequest(
  provider: LlmProvider,
  request: LlmRequest,
  { signal, timeoutMs, clock }: LlmCallOptions & { clock: Pick<Clock, 'sleep'> },
): Promise<PreparedLlmRequest> {
  signal.throwIfAborted();
  const givenUp = new AbortController();
  const prepared = provider.prepare(request, { signal: AbortSignal.any([signal, givenUp.signal]), timeoutMs });
  if (!('then' in prepared)) return prepared;
  const late = (): CriticizerError =>
    new CriticizerError('LLM_PREPARE_TIMEOUT', `The provider "${provider.id}" did not prepare a request in time.`, {
      category: 'network',
      parks: true,
      details: { provider: provider.id, timeoutMs },
    });
  try {
    return await withDeadline({ clock, ms: timeoutMs, call: 'prepare', signal, late }, prepared);
  } catch (error) {
    givenUp.abort(error);
    throw error;
  }
}
