import type { JsonObject, JsonValue } from '../foundation/json.js';
import { reviewResultJsonSchema, SCHEMA_VERSION } from '../review/review-result.js';
import { PROMPT_VERSION } from './template.js';

/** How a reply gives its quotes: by finding id, or as a list for schemas that cannot hold free keys. */
export type QuoteShape = 'map' | 'list';

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

/**
 * The canonical schema with both versions fixed and `meta` as given: what it accepts, the canonical
 * one accepts too.
 */
function narrow(meta: JsonObject, isMetaRequired: boolean): JsonObject {
  const properties = reviewResultJsonSchema['properties'] as JsonObject;
  const required = reviewResultJsonSchema['required'] as readonly JsonValue[];
  return {
    ...reviewResultJsonSchema,
    required: isMetaRequired ? [...required, 'meta'] : required,
    properties: {
      ...properties,
      schema_version: { type: 'string', const: SCHEMA_VERSION },
      prompt_version: { type: 'string', const: PROMPT_VERSION },
      meta,
    },
  };
}

const schemas: Readonly<Record<QuoteShape, JsonObject>> = {
  map: narrow({ type: 'object', properties: { quotes: quoteMap }, additionalProperties: true }, false),
  // A strict schema closes every object, so `meta` names all that may be sent in it; required, so
  // that quotes are not left out.
  list: narrow(
    { type: 'object', properties: { quotes: quoteList }, required: ['quotes'], additionalProperties: false },
    true,
  ),
};

/** The schema that a request sends, for the shape of quotes that it asks for (PR-3). */
export function requestSchema(quotes: QuoteShape): JsonObject {
  return schemas[quotes];
}
