import { AsyncLocalStorage } from 'node:async_hooks';
import { CriticizerError } from '@criticizer/core/ports';

/** The `fetch` that a model is built with. It opens no connection of its own. */
export type ModelFetch = typeof globalThis.fetch;

/** One request that a model wants to make. */
export interface ModelCall {
  method: string;
  url: string;
  /** Names in lower case; credentials included. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Takes the requests that a model makes during one phase. */
export type TakeCall = (call: ModelCall) => Promise<Response>;

/** Runs a call of a model; its requests go to `take`. */
export type RunPhase = <T>(take: TakeCall, work: () => PromiseLike<T>) => Promise<T>;

function blocked(message: string, reason: string): CriticizerError {
  return new CriticizerError('HTTP_BLOCKED', message, { category: 'policy', details: { reason } });
}

/** Only text can be guarded and compared: the body of a JSON request. */
function readCall(input: Parameters<ModelFetch>[0], init: Parameters<ModelFetch>[1]): ModelCall {
  const { method = 'GET', body, headers } = init ?? {};
  if (!(typeof input === 'string' || input instanceof URL) || typeof body !== 'string')
    throw blocked('the model made a request that is no text', 'no_text');
  return { method, url: new URL(input).href, headers: Object.fromEntries(new Headers(headers)), body };
}

/**
 * Gives the `fetch` to build one model with, and the function that runs a phase of it. Each request
 * of the model goes to the `take` of the phase that made it, however many run at once. Outside a
 * phase, in `generateText` for instance, `fetch` rejects with `HTTP_BLOCKED` (policy): EGR-2.
 */
export function createModelFetch(): { fetch: ModelFetch; runPhase: RunPhase } {
  const running = new AsyncLocalStorage<{ take: TakeCall | undefined }>();
  return {
    fetch: async (input, init) => {
      const take = running.getStore()?.take;
      if (take === undefined)
        throw blocked('the model was called outside its provider, where nothing is guarded', 'outside_provider');
      return take(readCall(input, init));
    },
    async runPhase(take, work) {
      const phase: { take: TakeCall | undefined } = { take };
      try {
        return await running.run(phase, async () => work());
      } finally {
        phase.take = undefined; // whatever the model left running may send nothing
      }
    },
  };
}
