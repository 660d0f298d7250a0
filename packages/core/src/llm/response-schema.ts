import type { JsonObject, JsonValue } from '../foundation/json.js';

/** Keywords kept as they are; everything else that only narrows values is dropped and stays with the parser. */
const keptAsIs = ['description', '$ref'] as const;
const anyScalar: JsonValue = ['string', 'number', 'boolean', 'null'];
const deepest = 64;

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** How a schema says that a property may be absent: as `null`, or by leaving it out of `required`. */
type AbsentAs = 'null' | 'left_out';

/** A map of schemas; `fromEntries` keeps a property named `__proto__` an ordinary property. */
function eachSchema(map: JsonObject, depth: number, absent: AbsentAs): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([name, schema]) => [name, translate(schema, depth, absent)]));
}

/** Absent becomes null: strict schemas know no optional property. */
function nullable(schema: JsonObject): JsonObject {
  const { type, anyOf, enum: values, ...rest } = schema;
  if (Array.isArray(anyOf)) {
    const hasNull = anyOf.some((one) => isObject(one) && one['type'] === 'null');
    return { ...rest, anyOf: hasNull ? anyOf : [...anyOf, { type: 'null' }] };
  }
  if (type === undefined) return { anyOf: [schema, { type: 'null' }] };
  const types: readonly JsonValue[] = Array.isArray(type) ? type : [type];
  const withNull = values === undefined ? {} : { enum: list(values).includes(null) ? values : [...list(values), null] };
  return { ...rest, type: types.includes('null') ? type : [...types, 'null'], ...withNull };
}

function translateObject(schema: JsonObject, depth: number, absent: AbsentAs): JsonObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(list(schema['required']));
  return {
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => {
        const translated = translate(property, depth, absent);
        return [name, required.has(name) || absent === 'left_out' ? translated : nullable(translated)];
      }),
    ),
    required:
      absent === 'null' ? Object.keys(properties) : Object.keys(properties).filter((name) => required.has(name)),
    additionalProperties: false,
  };
}

function scalarTypes(values: readonly JsonValue[]): JsonValue {
  const types = [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))];
  return types.length === 1 ? (types[0] ?? 'string') : types;
}

function translate(schema: JsonValue, depth: number, absent: AbsentAs): JsonObject {
  if (depth > deepest) throw new TypeError(`response schema: expected at most ${deepest} levels`);
  if (!isObject(schema)) return { type: anyScalar };
  const whole = list(schema['allOf']);
  if (whole.length === 1 && isObject(whole[0]))
    return translate({ ...whole[0], ...without(schema, 'allOf') }, depth + 1, absent);
  if (whole.length > 1) throw new TypeError('response schema: allOf of several schemas cannot be translated');

  const out: Record<string, JsonValue> = {};
  for (const keyword of keptAsIs) if (schema[keyword] !== undefined) out[keyword] = schema[keyword];
  if (isObject(schema['$defs'])) out['$defs'] = eachSchema(schema['$defs'], depth + 1, absent);
  if (isObject(schema['definitions'])) out['definitions'] = eachSchema(schema['definitions'], depth + 1, absent);

  const choices = [...list(schema['anyOf']), ...list(schema['oneOf'])];
  if (choices.length > 0) return { ...out, anyOf: choices.map((choice) => translate(choice, depth + 1, absent)) };
  if (out['$ref'] !== undefined) return out;

  const values = schema['const'] === undefined ? schema['enum'] : [schema['const']];
  const type =
    schema['type'] ??
    (values !== undefined ? scalarTypes(list(values)) : isObject(schema['properties']) ? 'object' : anyScalar);
  out['type'] = type;
  if (values !== undefined) out['enum'] = values;
  const types = Array.isArray(type) ? type : [type];
  if (types.includes('array')) {
    const items = list(schema['prefixItems']);
    out['items'] =
      items.length > 0
        ? { anyOf: items.map((item) => translate(item, depth + 1, absent)) }
        : translate(schema['items'] ?? true, depth + 1, absent);
  }
  return types.includes('object') ? { ...out, ...translateObject(schema, depth + 1, absent) } : out;
}

function without(schema: JsonObject, keyword: string): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== keyword));
}

/**
 * A canonical JSON Schema as OpenAI's strict mode takes it: every property required, what was
 * optional nullable instead, no other properties, only the keywords that mode knows. Deterministic;
 * property order stays, since the reply follows it. An object of free keys becomes an empty one.
 * Throws `TypeError` for a root that is no object, for `allOf` of several, and past 64 levels.
 */
export function toStrictSchema(schema: JsonObject): JsonObject {
  return translate(checkRoot(schema), 0, 'null');
}

/**
 * The same for vendors that know optional properties (Anthropic, Gemini, Ollama, Bedrock): what is
 * optional stays optional, as they limit how many nullable properties a schema may have.
 */
export function toOptionalSchema(schema: JsonObject): JsonObject {
  return translate(checkRoot(schema), 0, 'left_out');
}

function checkRoot(schema: JsonObject): JsonObject {
  if (schema['type'] !== 'object') throw new TypeError('response schema: expected a root that is an object');
  return schema;
}
