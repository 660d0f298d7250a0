import type { OptionShape } from '../../foundation/check-options.js';
import type { JsonObject } from '../../foundation/json.js';
import { checkBoolean, checkedElsewhere, checkFunction, checkName, optional } from '../../foundation/option-checks.js';
import { systemClock } from '../../foundation/time/system-clock.js';
import type { HttpResponse } from '../../http/http-client.js';
import type { ProtocolFields } from '../extra-body.js';
import { assembleReply, chooseTexts, readStop, writeArguments } from '../http-provider/assemble-reply.js';
import {
  type AnswerContext,
  createHttpProvider,
  type HttpLlmProvider,
  type LlmProtocol,
  type PlainTurn,
  stateSchema,
} from '../http-provider/http-provider.js';
import { createKeyedProvider } from '../http-provider/keyed-provider.js';
import {
  type CredentialName,
  checkCredentialName,
  checkProviderOptions,
  type HttpProviderOptions,
  httpProviderShape,
  readBaseUrl,
} from '../http-provider/provider-options.js';
import { type Fields, fields, items, readReplyFields, sumTokens, text, tokens } from '../http-provider/read-json.js';
import type { LlmReply, LlmRequest, LlmUsage, StopState, StructuredMode } from '../llm-provider.js';
import { toOptionalSchema } from '../response-schema.js';
import { isAwsDenied, readAwsRequestId, readBedrockFailure } from './bedrock-failure.js';
import type { AwsCredentials } from './sign-aws.js';
import { createSignedExchange } from './signed-exchange.js';

/** Which model, in which region, with which credential and limits. `model` is an id or the ARN of a profile. */
export interface BedrockProviderOptions extends HttpProviderOptions {
  /** `eu-central-1`. */
  region: string;
  /** Uses the region's FIPS endpoint. Default false. */
  fips?: boolean | undefined;
  /** In place of the region's endpoint: a VPC endpoint or a proxy. */
  endpoint?: string | undefined;
  /** An API key of Bedrock, sent as Bearer. Exactly one of this and `credentials`. */
  apiKey?: CredentialName | undefined;
  /** Credentials to sign with, called before every request: the chain of the vendor's client fits by shape. */
  credentials?: ((options: { signal: AbortSignal }) => Promise<AwsCredentials>) | undefined;
}

const optionShape: OptionShape<BedrockProviderOptions> = {
  ...httpProviderShape,
  region: checkName,
  fips: optional(checkBoolean),
  endpoint: optional(checkedElsewhere),
  apiKey: checkCredentialName,
  credentials: optional(checkFunction),
};

const knownModes: readonly StructuredMode[] = ['json_schema', 'tool', 'prompt'];

const bodyFields: ProtocolFields = {
  fields: new Set(['messages', 'system', 'toolConfig']),
  nested: { inferenceConfig: new Set(['maxTokens']), outputConfig: new Set(['textFormat']) },
};

const stops: Readonly<Record<string, StopState>> = {
  end_turn: 'complete',
  tool_use: 'complete',
  max_tokens: 'truncated_output',
  model_context_window_exceeded: 'context_overflow',
  content_filtered: 'content_filtered',
  guardrail_intervened: 'content_filtered',
  refusal: 'refused',
  malformed_model_output: 'provider_error',
  malformed_tool_use: 'provider_error',
};

/** How the schema is enforced; the vendor takes it as JSON in a string. `prompt` states it in the system text. */
function structure(request: LlmRequest): { system: string; fields: JsonObject } {
  const { mode, schemaName: name, system } = request;
  if (mode === 'prompt') return { system: stateSchema(request), fields: {} };
  const schema = toOptionalSchema(request.schema);
  if (mode === 'tool')
    return {
      system,
      fields: {
        toolConfig: { tools: [{ toolSpec: { name, inputSchema: { json: schema } } }], toolChoice: { tool: { name } } },
      },
    };
  const jsonSchema = { name, schema: JSON.stringify(schema) };
  return {
    system,
    fields: { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } },
  };
}

function buildBody(request: LlmRequest, turns: readonly PlainTurn[]): JsonObject {
  const { system, fields: structured } = structure(request);
  return {
    messages: turns.map((turn) => ({ role: turn.role, content: [{ text: turn.text }] })),
    system: [{ text: system }],
    inferenceConfig: { maxTokens: request.maxOutputTokens },
    ...structured,
  };
}

/** `inputTokens` leaves out what the vendor's cache took or gave. */
function readUsage(usage: Fields): LlmUsage {
  const cached = tokens(usage['cacheReadInputTokens']);
  return {
    inputTokens: sumTokens(tokens(usage['inputTokens']), cached, tokens(usage['cacheWriteInputTokens'])),
    outputTokens: tokens(usage['outputTokens']),
    cachedInputTokens: cached,
    reasoningTokens: null,
  };
}

function readReply(response: HttpResponse, context: AnswerContext): LlmReply {
  const reply = readReplyFields(response, context);
  const parts = items(fields(fields(reply['output'])['message'])['content']).map(fields);
  const texts = chooseTexts({
    calls: parts.map((part) => writeArguments(fields(part['toolUse'])['input'])),
    contents: [parts.map((part) => text(part['text'])).join('')],
  });
  const reason = text(reply['stopReason']);
  return assembleReply(texts, readStop(stops, reason, texts.texts), {
    usage: readUsage(fields(reply['usage'])),
    requestId: readAwsRequestId(response),
    providerStop: reason.slice(0, 100) || null,
  });
}

const maker = 'createBedrockProvider';

function buildUrl({ region, fips = false, endpoint, model }: BedrockProviderOptions): string {
  if (!/^[a-z]{2,}(-[a-z]+)+-\d+$/.test(region))
    throw new TypeError(`${maker}: region expects the name of a region: eu-central-1`);
  const regional = `https://bedrock-runtime${fips ? '-fips' : ''}.${region}.amazonaws.com`;
  return `${readBaseUrl(maker, endpoint ?? regional, 'endpoint')}/model/${encodeURIComponent(model)}/converse`;
}

/**
 * A provider that speaks Converse of Amazon Bedrock, by API key or signed (Signature Version 4).
 * Vendors' switches are `extraBody`: `{ serviceTier: { type: 'flex' } }`,
 * `{ guardrailConfig: {...} }`. Throws `TypeError` for bad options.
 */
export function createBedrockProvider(options: BedrockProviderOptions): HttpLlmProvider {
  const modes = checkProviderOptions(maker, options, optionShape, knownModes);
  const { apiKey, credentials, http, region, clock = systemClock } = options;
  if ((apiKey === undefined) === (credentials === undefined))
    throw new TypeError(`${maker}: expected exactly one of apiKey and credentials`);
  const protocol: LlmProtocol = {
    url: buildUrl(options),
    bodyFields,
    buildBody,
    readReply,
    isDenied: isAwsDenied,
    readFailure: readBedrockFailure,
  };
  if (credentials === undefined)
    return createKeyedProvider(options, { maker, modes, protocol, header: 'authorization' });
  const exchange = createSignedExchange({ http, credentials, region, service: 'bedrock', clock });
  return createHttpProvider(options, { maker, modes, protocol, exchange, hasCredential: true });
}
