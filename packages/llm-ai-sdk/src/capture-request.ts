import type { LlmCallOptions } from '@criticizer/core/llm';
import { type Clock, CriticizerError, withDeadline } from '@criticizer/core/ports';
import type { AiSdkModel, GenerateOptions } from './ai-sdk-model.js';
import type { ModelCall, RunPhase } from './model-fetch.js';
import { refuseCredentialUrl } from './model-headers.js';

/** One model, and where its requests may go. */
export interface CaptureParts {
  /** Name of the factory, for messages about its options. */
  maker: string;
  model: AiSdkModel;
  runPhase: RunPhase;
  host: string;
  clock: Pick<Clock, 'sleep'>;
}

/** The model's own words may quote the prompt: its error is dropped but for the name. */
export function modelFailed(error: unknown): CriticizerError {
  const name = error instanceof Error ? error.name.slice(0, 100) : typeof error;
  return new CriticizerError('LLM_MODEL_FAILED', 'the model failed before it made a request', {
    category: 'network',
    parks: true,
    details: { name },
  });
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

/** Throws `TypeError` where the requests that the model made are not one POST to `host`. */
function checkCalls({ maker, host }: CaptureParts, calls: readonly ModelCall[]): ModelCall {
  const [call, ...more] = calls;
  if (call === undefined || call.method !== 'POST' || more.length > 0)
    throw new TypeError(`${maker}: model: expected one that makes one POST, with the fetch that it is built with`);
  refuseCredentialUrl(`${maker}: model`, call.url);
  const { host: found } = new URL(call.url);
  if (found !== host)
    throw new TypeError(`${maker}: host: expected '${found}', to which the model sends; got '${host}'`);
  return call;
}

/**
 * Asks the model for the request that it would send (EGR-3). The model's `fetch` takes the request
 * and throws. The model is called with a signal that has aborted: a model that uses another `fetch`
 * gets an `AbortError` from it, before that opens a connection. Throws `TypeError` for such a model,
 * `LLM_MODEL_FAILED` (network, parks) where it fails before its request, a token service for
 * instance, and `LLM_PREPARE_TIMEOUT` (network, parks).
 */
export async function captureRequest(
  parts: CaptureParts,
  options: GenerateOptions,
  { signal, timeoutMs }: LlmCallOptions,
): Promise<ModelCall> {
  const calls: ModelCall[] = [];
  const captured = new Error('captured');
  const take = async (call: ModelCall): Promise<Response> => {
    calls.push(call);
    throw captured;
  };
  const late = () =>
    new CriticizerError('LLM_PREPARE_TIMEOUT', `the model made no request within ${timeoutMs} ms`, {
      category: 'network',
      parks: true,
    });
  let failure: unknown;
  const work = parts
    .runPhase(take, () => parts.model.doGenerate({ ...options, abortSignal: AbortSignal.abort() }))
    .catch((error: unknown) => {
      failure = error;
    });
  await withDeadline({ clock: parts.clock, ms: timeoutMs, call: 'doGenerate', signal, late }, work);
  if (calls.length === 0 && failure !== undefined && !isAbort(failure)) throw modelFailed(failure);
  return checkCalls(parts, calls);
}
