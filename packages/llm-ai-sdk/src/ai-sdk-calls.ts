import { createHash } from 'node:crypto';
import type { Logger } from '@criticizer/core';
import { type HttpClient, type HttpResponse, isSuccess } from '@criticizer/core/http';
import {
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
import { type Clock, CriticizerError, type JsonObject, withDeadline } from '@criticizer/core/ports';
import type { GenerateOptions } from './ai-sdk-model.js';
import { type CaptureParts, captureRequest, modelFailed } from './capture-request.js';
import type { ModelCall } from './model-fetch.js';
import { credentialHeaders, recordedHeaders } from './model-headers.js';
import { readResult, readUnread, readWarnings } from './read-result.js';

/** One model, and all that its calls need. */
export interface AiSdkCallParts extends CaptureParts {
  id: string;
  http: HttpClient;
  limits: LlmProvider['limits'];
  modes: readonly StructuredMode[];
  providerOptions: JsonObject | undefined;
  format: VendorFormat;
  logger: Pick<Logger, 'warn'> | undefined;
  clock: Pick<Clock, 'nowMs' | 'monotonicMs' | 'sleep'>;
}

const digest = ({ url, body }: Pick<ModelCall, 'url' | 'body'>): string =>
  createHash('sha256').update(`${url}\n${body}`).digest('hex');

function requestChanged(host: string): CriticizerError {
  return new CriticizerError('LLM_REQUEST_CHANGED', 'the model made another request than the one prepared', {
    category: 'policy',
    details: { host },
  });
}

function toResponse({ status, headers, body }: HttpResponse): Response {
  // The body is whole and decoded: what described it on the wire no longer fits.
  const kept = Object.entries(headers).filter(
    ([name]) => !/^(content-(encoding|length)|transfer-encoding)$/.test(name),
  );
  return new Response([204, 205, 304].includes(status) ? null : Buffer.from(body), { status, headers: kept });
}

/** What the model is called with again when a prepared request is sent. */
interface KeptCall {
  options: GenerateOptions;
  digest: string;
}

/** What one send has seen so far. */
interface SentCall {
  calls: number;
  response?: HttpResponse;
  failure?: unknown;
}

const probe: GenerateOptions = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'ping' }] }],
  maxOutputTokens: 1,
};
const ended = new Error('the call has ended');

/** `prepare` and `send` of one model. Keeps what `send` needs for as long as the prepared request lives. */
export class AiSdkCalls {
  readonly #kept = new WeakMap<PreparedLlmRequest, KeptCall>();
  #isBound = false;

  constructor(private readonly parts: AiSdkCallParts) {}

  #buildOptions(request: LlmRequest): GenerateOptions {
    const { modes, limits, format, providerOptions } = this.parts;
    const turns = readLlmRequest(request, { modes, limits });
    const { schema, schemaName: name, maxOutputTokens } = request;
    const isPrompt = request.mode === 'prompt';
    const translate = format === 'openai' ? toStrictSchema : toOptionalSchema;
    return {
      prompt: [
        { role: 'system', content: isPrompt ? stateSchema(request) : request.system },
        ...turns.map(({ role, text }) => ({ role, content: [{ type: 'text' as const, text }] })),
      ],
      maxOutputTokens,
      ...(isPrompt ? {} : { responseFormat: { type: 'json' as const, schema: translate(schema), name } }),
      ...(providerOptions === undefined
        ? {}
        : { providerOptions: providerOptions as Record<string, Record<string, never>> }),
    };
  }

  /** A transport that heeds no signal would send what it is given: it is given no text of the host's first. */
  async #checkBound(callOptions: LlmCallOptions): Promise<void> {
    if (this.#isBound) return;
    await captureRequest(this.parts, probe, callOptions);
    this.#isBound = true;
  }

  async prepare(request: LlmRequest, callOptions: LlmCallOptions): Promise<PreparedLlmRequest> {
    const options = this.#buildOptions(request);
    await this.#checkBound(callOptions);
    const call = await captureRequest(this.parts, options, callOptions);
    const prepared: PreparedLlmRequest = Object.freeze({
      method: 'POST',
      url: call.url,
      headers: Object.freeze(recordedHeaders(call.headers)),
      body: call.body,
      model: this.parts.model.modelId,
    });
    this.#kept.set(prepared, { options, digest: digest(call) });
    return prepared;
  }

  /** Sends the prepared bytes with the headers of the model's fresh request, if that is the prepared one. */
  async #exchange(
    { prepared, kept, sent }: { prepared: PreparedLlmRequest; kept: KeptCall; sent: SentCall },
    call: ModelCall,
    callOptions: LlmCallOptions,
  ): Promise<Response> {
    try {
      callOptions.signal.throwIfAborted();
      if (++sent.calls > 1 || call.method !== 'POST' || digest(call) !== kept.digest)
        throw requestChanged(this.parts.host);
      const headers = { ...credentialHeaders(call.headers), ...prepared.headers };
      const { url, body } = prepared;
      sent.response = await this.parts.http.exchange({ method: 'POST', url, headers, body }, callOptions);
      return toResponse(sent.response);
    } catch (error) {
      sent.failure ??= error;
      throw error;
    }
  }

  async send(prepared: PreparedLlmRequest, callOptions: LlmCallOptions): Promise<LlmReply> {
    const kept = this.#kept.get(prepared);
    if (kept === undefined) throw new TypeError('send: expected a request prepared by this provider');
    const { host, clock, model, runPhase } = this.parts;
    const { timeoutMs } = callOptions;
    // A model that is still fetching a credential when its time is over must not send afterwards.
    const over = new AbortController();
    const signal = AbortSignal.any([callOptions.signal, over.signal]);
    const sent: SentCall = { calls: 0 };
    const late = () =>
      new CriticizerError('NETWORK_TIMEOUT', `the model did not answer within ${timeoutMs} ms`, {
        category: 'network',
        details: { host },
      });
    let thrown: unknown;
    const work = runPhase(
      (call) => this.#exchange({ prepared, kept, sent }, call, { signal, timeoutMs }),
      () => model.doGenerate({ ...kept.options, abortSignal: signal }),
    ).catch((error: unknown) => {
      thrown = error ?? new Error('nothing');
    });
    const limits = { clock, ms: timeoutMs, call: 'doGenerate', signal: callOptions.signal, late };
    const result = await withDeadline(limits, work).finally(() => over.abort(ended));
    if (sent.failure !== undefined) throw sent.failure;
    if (sent.response === undefined) throw modelFailed(thrown);
    return this.#read(sent.response, thrown, result);
  }

  #read(response: HttpResponse, thrown: unknown, result: unknown): LlmReply {
    const { host, format, clock, id, logger } = this.parts;
    if (!isSuccess(response.status)) return readVendorFailure(format, response, { host, nowMs: clock.nowMs() });
    if (thrown !== undefined) {
      const reply = readUnread(response);
      if (reply !== undefined) return reply;
      throw new CriticizerError('LLM_REPLY_UNREADABLE', 'the model could not read the reply of its endpoint', {
        category: 'upstream',
        details: { host, status: response.status, bytes: response.body.byteLength },
      });
    }
    for (const warning of readWarnings(result))
      logger?.warn({ event: 'llm.option_ignored', provider: id, ...warning }, 'the model ignored an option');
    return readResult(result, response);
  }
}
