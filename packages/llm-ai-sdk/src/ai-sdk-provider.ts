import type { Logger } from '@criticizer/core';
import type { HttpClient } from '@criticizer/core/http';
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
  type LlmProvider,
  type StructuredMode,
  type VendorFormat,
} from '@criticizer/core/llm';
import { type Clock, type JsonObject, systemClock } from '@criticizer/core/ports';
import { AiSdkCalls } from './ai-sdk-calls.js';
import { type AiSdkModel, checkModel } from './ai-sdk-model.js';
import { createModelFetch, type ModelFetch } from './model-fetch.js';

/** Which model, where it is, and who sends its requests. */
export interface AiSdkProviderOptions {
  /** Names the provider in policies, records and telemetry: `[a-z0-9][a-z0-9_.-]*`, at most 64. */
  id: string;
  /**
   * Builds the model, with `specificationVersion` `v3` or `v4`, and gives it this `fetch`:
   * `(fetch) => createAnthropic({ fetch })('claude-sonnet-4-5')`. Called once.
   */
  model: (fetch: ModelFetch) => AiSdkModel;
  /** Host, and port where it is not the scheme's own, of all requests of the model: `api.anthropic.com`. */
  host: string;
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
  /** Receives a warning for each option that the model ignored. Default nobody. */
  logger?: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'> | undefined;
  /** Default the system's. */
  clock?: Pick<Clock, 'nowMs' | 'monotonicMs' | 'sleep'> | undefined;
}

const maker = 'createAiSdkProvider';
const knownModes: readonly StructuredMode[] = ['json_schema', 'prompt'];

function checkHost(option: string, value: unknown): void {
  const url = typeof value === 'string' && URL.canParse(`https://${value}`) ? new URL(`https://${value}`) : undefined;
  if (url === undefined || url.host !== value)
    throw new TypeError(`${option}: expected a host like 'api.anthropic.com' or 'gpu1.studio.example:8443'`);
}

/** A function without a parameter builds its model without our `fetch`. */
function checkBuilder(option: string, value: unknown): void {
  if (typeof value !== 'function' || value.length === 0)
    throw new TypeError(`${option}: expected a function that builds the model with the fetch that it is given`);
}

const optionShape: OptionShape<AiSdkProviderOptions> = {
  id: checkedElsewhere,
  model: checkBuilder,
  host: checkHost,
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

/**
 * A model of the AI SDK as an `LlmProvider`. `prepare` asks the model for its request and sends
 * nothing; `send` asks it again, for fresh credentials, and sends the prepared bytes through `http`
 * (EGR-3). No credential is kept (SEC-4). Rejects with `LLM_REQUEST_CHANGED` (policy) where the
 * model makes another request than the one prepared, with `LLM_MODEL_FAILED` (network, parks) where
 * it makes none, and as the failure table says. Throws `TypeError` for bad options; `prepare`
 * rejects with it for a model that was built without the `fetch`, or that sends to another `host`.
 */
export function createAiSdkProvider(options: AiSdkProviderOptions): LlmProvider {
  checkOptions(maker, options, optionShape);
  const { id, host, http, limits, providerOptions, logger, clock = systemClock } = options;
  const { fetch, runPhase } = createModelFetch();
  const model = options.model(fetch);
  checkModel(`${maker}: model`, model);
  const common = { id, model: model.modelId, http, limits, modes: options.modes ?? knownModes };
  const modes = checkProviderOptions(maker, common, httpProviderShape, knownModes);
  const format = options.vendorFormat ?? guessFormat(model.provider);
  const parts = { maker, id, model, runPhase, host, http, limits, modes, providerOptions, format, logger, clock };
  const calls = new AiSdkCalls(parts);
  return {
    contract: 1,
    id,
    model: model.modelId,
    host,
    limits: { ...limits },
    modes,
    extraBody: providerOptions,
    prepare: (request, callOptions) => calls.prepare(request, callOptions),
    send: (prepared, callOptions) => calls.send(prepared, callOptions),
  };
}
