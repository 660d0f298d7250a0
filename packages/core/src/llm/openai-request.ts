import { CriticizerError } from '../foundation/errors.js';
import type { JsonObject } from '../foundation/json.js';
import { isRedactedText, readRedactedText } from '../foundation/redacted-text.js';
import { checkTurns } from './check-turns.js';
import type { LlmRequest, PreparedLlmRequest } from './llm-provider.js';
import { toStrictSchema } from './strict-schema.js';

/** What stays the same from request to request. */
export interface OpenAiEndpoint {
  model: string;
  /** `<baseUrl>/chat/completions`. */
  url: string;
  systemRole: 'system' | 'developer';
  outputLimitField: 'max_completion_tokens' | 'max_tokens';
  /** Vendor switches, after what the protocol sets. */
  extraBody: JsonObject;
}

/** What this protocol sets, or leaves out on purpose: a reply is read whole, not as a stream. */
export const protocolFields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'response_format',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
  'max_completion_tokens',
  'max_tokens',
  'stream',
  'stream_options',
]);

const schemaName = /^[A-Za-z0-9_-]{1,64}$/;

/** How the schema is enforced. The two weak modes know none, so the trusted half of the prompt states it. */
function structure(request: LlmRequest): { system: string; fields: JsonObject } {
  const { mode, schema, schemaName: name, system } = request;
  if (mode === 'json_schema')
    return {
      system,
      fields: {
        response_format: { type: 'json_schema', json_schema: { name, strict: true, schema: toStrictSchema(schema) } },
      },
    };
  if (mode === 'tool')
    return {
      system,
      fields: {
        tools: [{ type: 'function', function: { name, strict: true, parameters: toStrictSchema(schema) } }],
        tool_choice: { type: 'function', function: { name } },
        parallel_tool_calls: false,
      },
    };
  const stated = `${system}\n\nReply with one JSON object, and nothing else, that conforms to this JSON Schema:\n${JSON.stringify(schema)}`;
  return { system: stated, fields: mode === 'json_object' ? { response_format: { type: 'json_object' } } : {} };
}

/**
 * The exact bytes of a Chat Completions request, the same for the same input. No sampling
 * parameter: newer models refuse them. What never changes stands first, so that the vendor's prompt
 * cache can hold it. Throws `EGRESS_BLOCKED` for text that was not redacted.
 */
export function buildOpenAiRequest(endpoint: OpenAiEndpoint, request: LlmRequest): PreparedLlmRequest {
  checkTurns('prepare: turns', request.turns);
  if (!request.turns.every((turn) => isRedactedText(turn.text)))
    throw new CriticizerError('EGRESS_BLOCKED', 'the text for the model was not redacted', {
      category: 'policy',
      details: { reasons: ['not_redacted'] },
    });
  if (!schemaName.test(request.schemaName))
    throw new TypeError('prepare: schemaName expects 1 to 64 letters, digits, underscores or dashes');
  const { system, fields } = structure(request);
  const body = {
    model: endpoint.model,
    messages: [
      { role: endpoint.systemRole, content: system },
      ...request.turns.map(({ role, text }) => ({ role, content: readRedactedText(text).text })),
    ],
    ...fields,
    [endpoint.outputLimitField]: request.maxOutputTokens,
    ...endpoint.extraBody,
  };
  return {
    method: 'POST',
    url: endpoint.url,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
    model: endpoint.model,
  };
}
