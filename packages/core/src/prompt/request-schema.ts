import type { JsonObject, JsonValue } from '../foundation/json.js';
import { reviewResultJsonSchema } from '../review/review-result.js';
import type { PromptVersions, QuoteShape } from './prompt-variant.js';

const text: JsonValue = { type: 'string' };

/** `{"f1": "let a = b"}`. */
const quoteMap: JsonObject = { type: 'object', additionalProperties: text };

/** `[{"id": "f1", "quote": "let a = b"}]`. */
const quoteList: JsonObject = {
  type: 'array',
  items: {
    type: 'object',
    properties: { id: text, quote: text },
    required: ['id', 'quote'],
    additionalProperties: false,
  },
};

/** What `meta` may hold in each shape of quotes, and whether it must be there. */
const metas: Readonly<Record<QuoteShape, { schema: JsonObject; isRequired: boolean }>> = {
  map: {
    schema: { type: 'object', properties: { quotes: quoteMap }, additionalProperties: true },
    isRequired: false,
  },
  // A strict schema closes every object, so `meta` names all that may be sent in it; required, so
  // that quotes are not left out.
  list: {
    schema: { type: 'object', properties: { quotes: quoteList }, required: ['quotes'], additionalProperties: false },
    isRequired: true,
  },
};

/**
 * The schema that a request sends, for the shape of quotes that it asks for (PR-3): the canonical
 * schema with both versions fixed. What it accepts, the canonical one accepts too.
 */
export function requestSchema(quotes: QuoteShape, { promptVersion, schemaVersion }: PromptVersions): JsonObject {
  const { schema: meta, isRequired } = metas[quotes];
  const properties = reviewResultJsonSchema['properties'] as JsonObject;
  const required = reviewResultJsonSchema['required'] as readonly JsonValue[];
  return {
    ...reviewResultJsonSchema,
    required: isRequired ? [...required, 'meta'] : required,
    properties: {
      ...properties,
      schema_version: { type: 'string', const: schemaVersion },
      prompt_version: { type: 'string', const: promptVersion },
      meta,
    },
  };
}
