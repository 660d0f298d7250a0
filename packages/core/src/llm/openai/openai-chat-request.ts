import type { JsonObject } from '../../foundation/json.js';
import type { ProtocolFields } from '../extra-body.js';
import { type PlainTurn, stateSchema } from '../http-provider/http-provider.js';
import type { LlmRequest } from '../llm-provider.js';
import { toStrictSchema } from '../response-schema.js';

/** What stays the same from request to request. */
export interface OpenAiChatEndpoint {
  model: string;
  systemRole: 'system' | 'developer';
  outputLimitField: 'max_completion_tokens' | 'max_tokens';
}

/** What this protocol sets, or leaves out on purpose: a reply is read whole, not as a stream. */
export const openAiChatFields: ProtocolFields = {
  fields: new Set([
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
  ]),
};

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
  return {
    system: stateSchema(request),
    fields: mode === 'json_object' ? { response_format: { type: 'json_object' } } : {},
  };
}

/**
 * The body of a Chat Completions request. No sampling parameter: newer models refuse them. What
 * never changes stands first, so that the vendor's prompt cache can hold it.
 */
export function buildOpenAiChatBody(
  endpoint: OpenAiChatEndpoint,
  request: LlmRequest,
  turns: readonly PlainTurn[],
): JsonObject {
  const { system, fields } = structure(request);
  return {
    model: endpoint.model,
    messages: [
      { role: endpoint.systemRole, content: system },
      ...turns.map(({ role, text }) => ({ role, content: text })),
    ],
    ...fields,
    [endpoint.outputLimitField]: request.maxOutputTokens,
  };
}
