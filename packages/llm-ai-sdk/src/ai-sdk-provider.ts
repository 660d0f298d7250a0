import { createHash } from 'node:crypto';
import type { Logger } from '@criticizer/core';
import { type HttpClient, type HttpResponse, isSuccess } from '@criticizer/core/http';
import {
  checkedElsewhere,
  checkOptions,
  type OptionShape,
  observerShape,
  oneOf,
  optional,
  withMethods,
} from '@criticizer/core/internal';
import {
  checkProviderOptions,
  httpProviderShape,
  type LlmCallOptions,
  type LlmProvider,
  type LlmReply,
  type LlmRequest,
  type PreparedLlmRequest,
  readLlmRequest,
  readVendorFailure,
  type StructuredMode,
  stateSchema,
  toOptionalSchema,
  toStrictSchema,
  type VendorFormat,
} from '@criticizer/core/llm';
import { type Clock, CriticizerError, type JsonObject, systemClock, withDeadline } from '@criticizer/core/ports';
import { type AiSdkModel, checkModel, type GenerateOptions } from './ai-sdk-model.js';
import { type ModelCall, type ModelFetch, type RunPhase, readPhases } from './model-fetch.js';
import { credentialHeaders, recordedHeaders, refuseCredentialUrl } from './model-headers.js';
import { readResult, readWarnings } from './read-result.js';

/** Which model, built with which fetch, and who sends its requests. */
export interface AiSdkProviderOptions {
  /** Names the provider in policies, records and telemetry: `[a-z0-9][a-z0-9_.-]*`, at most 64. */
  id: string;
  /** A model with `specificationVersion` `v3` or `v4`, built with `fetch`. */
  model: AiSdkModel;
  /** What `createModelFetch` gave, and the model was built with. */
  fetch: ModelFetch;
  /** The client that opens all connections. */
  http: HttpClient;
  /** Tokens of the model's window, and of the longest reply that it writes. */
  limits: { contextTokens: number; maxOutputTokens: number };
  /** Default `json_schema` and `prompt`. */
  modes?: readonly ('json_schema' | 'prompt')[] | undefined;
  /** The AI SDK's `providerOptions`: `{ openai: { store: false } }`. A reply under others is not used again (GRD-1). */
  providerOptions?: JsonObject | undefined;
  /** Whose words the endpoint fails in. Default by `model.provider`; `openai` where that says nothing. */
  vendorFormat?: VendorFormat | undefined;
  /** Is told of options that the model ignored. Default nobody. */
  logger?: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'> | undefined;
  /** Default the system's. */
  clock?: Pick<Clock, 'nowMs' | 'monotonicMs' | 'sleep'> | undefined;
}

const maker = 'createAiSdkProvider';
const knownModes: readonly StructuredMode[] = ['json_schema', 'prompt'];

const optionShape: OptionShape<AiSdkProviderOptions> = {
  id: checkedElsewhere,
  model: checkModel,
  fetch: (option, value) => {
    if (readPhases(value) === undefined) throw new TypeError(`${option}: expected what createModelFetch gave`);
  },
  http: withMethods('exchange'),
  limits: checkedElsewhere,
  modes: checkedElsewhere,
  providerOptions: httpProviderShape.extraBody,
  vendorFormat: optional(oneOf('openai', 'anthropic', 'gemini', 'bedrock')),
  logger: observerShape.logger,
  clock: observerShape.clock,
};

function guessFormat(provider: string): VendorFormat {
  if (/anthropic/.test(provider)) return 'anthropic';
  if (/bedrock/.test(provider)) return 'bedrock';
  return /google|vertex|gemini/.test(provider) ? 'gemini' : 'openai';
}

const digest = ({ url, body }: Pick<ModelCall, 'url' | 'body'>): string =>
  createHash('sha256').update(`${url}\n${body}`).digest('hex');

function requestChanged(host: string): CriticizerError {
  return new CriticizerError('LLM_REQUEST_CHANGED', 'the model made another request than the one prepared', {
    category: 'policy',
    details: { host },
  });
}

/** The model's own words may quote the prompt: its error is dropped but for the name. */
function modelFailed(error: unknown): CriticizerError {
  const name = error instanceof Error ? error.name.slice(0, 100) : typeof error;
  return new CriticizerError('LLM_MODEL_FAILED', 'the model failed before it made a request', {
    category: 'network',
    parks: true,
    details: { name },
  });
}

function toResponse({ status, headers, body }: HttpResponse): Response {
  // The body is whole and decoded: what described it on the wire no longer fits.
  const kept = Object.entries(headers).filter(
    ([name]) => !/^(content-(encoding|length)|transfer-encoding)$/.test(name),
  );
  return new Response([204, 205, 304].includes(status) ? null : Buffer.from(body), { status, headers: kept });
}

/** One call that was prepared: what the model is asked again when it is sent. */
interface KeptCall {
  options: GenerateOptions;
  digest: string;
}

const ended = new Error('the call has ended');

class AiSdkCalls {
  readonly #kept = new WeakMap<PreparedLlmRequest, KeptCall>();
  readonly #phase: RunPhase;
  readonly #format: VendorFormat;
  readonly #clock: NonNullable<AiSdkProviderOptions['clock']>;
  #isBound = false;

  constructor(private readonly options: AiSdkProviderOptions) {
    this.#phase = readPhases(options.fetch) as RunPhase;
    this.#format = options.vendorFormat ?? guessFormat(options.model.provider);
    this.#clock = options.clock ?? systemClock;
  }

  #askWith(request: LlmRequest, modes: readonly StructuredMode[]): GenerateOptions {
    const turns = readLlmRequest(request, { modes, limits: this.options.limits });
    const { schema, schemaName: name, maxOutputTokens } = request;
    const isPrompt = request.mode === 'prompt';
    const translate = this.#format === 'openai' ? toStrictSchema : toOptionalSchema;
    return {
      prompt: [
        { role: 'system', content: isPrompt ? stateSchema(request) : request.system },
        ...turns.map(({ role, text }) => ({ role, content: [{ type: 'text' as const, text }] })),
      ],
      maxOutputTokens,
      ...(isPrompt ? {} : { responseFormat: { type: 'json' as const, schema: translate(schema), name } }),
      ...(this.options.providerOptions === undefined
        ? {}
        : { providerOptions: this.options.providerOptions as Record<string, Record<string, never>> }),
    };
  }

  /** What the model would send. Nothing is: the fetch throws once it has the request. */
  async #capture(options: GenerateOptions, { signal, timeoutMs }: LlmCallOptions): Promise<ModelCall> {
    const calls: ModelCall[] = [];
    const captured = new Error('captured');
    const take = async (call: ModelCall): Promise<Response> => {
      calls.push(call);
      throw captured;
    };
    const ask = () => this.options.model.doGenerate({ ...options, abortSignal: signal });
    const late = () =>
      new CriticizerError('LLM_PREPARE_TIMEOUT', `the model made no request within ${timeoutMs} ms`, {
        category: 'network',
        parks: true,
      });
    let failure: unknown;
    const work = this.#phase(take, ask).catch((error: unknown) => {
      failure = error;
    });
    await withDeadline({ clock: this.#clock, ms: timeoutMs, call: 'doGenerate', signal, late }, work);
    const [call, ...more] = calls;
    if (call === undefined && failure !== undefined) throw modelFailed(failure);
    if (call === undefined || call.method !== 'POST' || more.length > 0)
      throw new TypeError(`${maker}: model: expected one that makes one POST, with the fetch of createModelFetch`);
    refuseCredentialUrl(`${maker}: model`, call.url);
    return call;
  }

  /** A model with a fetch of its own would send what it is asked: it is asked for nothing of the host's first. */
  async #checkBound(callOptions: LlmCallOptions): Promise<void> {
    if (this.#isBound) return;
    const prompt: GenerateOptions['prompt'] = [{ role: 'user', content: [{ type: 'text', text: 'ping' }] }];
    await this.#capture({ prompt, maxOutputTokens: 1 }, callOptions);
    this.#isBound = true;
  }

  async prepare(
    request: LlmRequest,
    callOptions: LlmCallOptions,
    modes: readonly StructuredMode[],
  ): Promise<PreparedLlmRequest> {
    const options = this.#askWith(request, modes);
    await this.#checkBound(callOptions);
    const call = await this.#capture(options, callOptions);
    const prepared: PreparedLlmRequest = Object.freeze({
      method: 'POST',
      url: call.url,
      headers: Object.freeze(recordedHeaders(call.headers)),
      body: call.body,
      model: this.options.model.modelId,
    });
    this.#kept.set(prepared, { options, digest: digest(call) });
    return prepared;
  }

  async send(prepared: PreparedLlmRequest, callOptions: LlmCallOptions): Promise<LlmReply> {
    const kept = this.#kept.get(prepared);
    if (kept === undefined) throw new TypeError('send: expected a request prepared by this provider');
    const { host } = new URL(prepared.url);
    const { timeoutMs } = callOptions;
    // A model that is still fetching a credential when its time is over must not send afterwards.
    const over = new AbortController();
    const signal = AbortSignal.any([callOptions.signal, over.signal]);
    const seen: { response?: HttpResponse; failure?: unknown; calls: number } = { calls: 0 };
    const take = async (call: ModelCall): Promise<Response> => {
      try {
        signal.throwIfAborted();
        if (++seen.calls > 1 || call.method !== 'POST' || digest(call) !== kept.digest) throw requestChanged(host);
        const headers = { ...credentialHeaders(call.headers), ...prepared.headers };
        const { url, body } = prepared;
        seen.response = await this.options.http.exchange({ method: 'POST', url, headers, body }, { signal, timeoutMs });
        return toResponse(seen.response);
      } catch (error) {
        seen.failure ??= error;
        throw error;
      }
    };
    const late = () =>
      new CriticizerError('NETWORK_TIMEOUT', `the model did not answer within ${timeoutMs} ms`, {
        category: 'network',
        details: { host },
      });
    let thrown: unknown;
    const ask = () => this.options.model.doGenerate({ ...kept.options, abortSignal: signal });
    const work = this.#phase(take, ask).catch((error: unknown) => {
      thrown = error ?? new Error('nothing');
    });
    const limits = { clock: this.#clock, ms: timeoutMs, call: 'doGenerate', signal: callOptions.signal, late };
    const result = await withDeadline(limits, work).finally(() => over.abort(ended));
    if (seen.failure !== undefined) throw seen.failure;
    if (seen.response === undefined) throw modelFailed(thrown);
    return this.#read(seen.response, host, thrown, result);
  }

  #read(response: HttpResponse, host: string, thrown: unknown, result: unknown): LlmReply {
    if (!isSuccess(response.status))
      return readVendorFailure(this.#format, response, { host, nowMs: this.#clock.nowMs() });
    if (thrown !== undefined)
      throw new CriticizerError('LLM_REPLY_UNREADABLE', 'the model could not read the reply of its endpoint', {
        category: 'upstream',
        details: { host, status: response.status, bytes: response.body.byteLength },
      });
    for (const warning of readWarnings(result))
      this.options.logger?.warn({ provider: this.options.id, ...warning }, 'the model ignored an option');
    return readResult(result, response);
  }
}

/**
 * A model of the AI SDK as an `LlmProvider`. `prepare` asks the model for its request and sends
 * nothing; `send` asks it again, for fresh credentials, and sends the prepared bytes through `http`
 * (EGR-3). No credential is kept (SEC-4). Rejects with `LLM_REQUEST_CHANGED` (policy) where the
 * model makes another request than the one prepared, with `LLM_MODEL_FAILED` (network, parks) where
 * it makes none, and as the failure table says. Throws `TypeError` for bad options: the name of a
 * model, one of V2, or a `fetch` that `createModelFetch` did not give.
 */
export function createAiSdkProvider(options: AiSdkProviderOptions): LlmProvider {
  checkOptions(maker, options, optionShape);
  const { id, model, http, limits } = options;
  const common = { id, model: model.modelId, http, limits, modes: options.modes ?? knownModes };
  const modes = checkProviderOptions(maker, common, httpProviderShape, knownModes);
  const calls = new AiSdkCalls(options);
  return {
    contract: 1,
    id,
    model: model.modelId,
    limits: { ...limits },
    modes,
    extraBody: options.providerOptions,
    prepare: (request, callOptions) => calls.prepare(request, callOptions, modes),
    send: (prepared, callOptions) => calls.send(prepared, callOptions),
  };
}
