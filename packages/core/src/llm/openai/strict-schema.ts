import type { JsonObject, JsonValue } from '../../foundation/json.js';

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

/** A map of schemas; `fromEntries` keeps a property named `__proto__` an ordinary property. */
function eachSchema(map: JsonObject, depth: number): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([name, schema]) => [name, translate(schema, depth)]));
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

function translateObject(schema: JsonObject, depth: number): JsonObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(list(schema['required']));
  return {
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => {
        const translated = translate(property, depth);
        return [name, required.has(name) ? translated : nullable(translated)];
      }),
    ),
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

function scalarTypes(values: readonly JsonValue[]): JsonValue {
  const types = [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))];
  return types.length === 1 ? (types[0] ?? 'string') : types;
}

function translate(schema: JsonValue, depth: number): JsonObject {
  if (depth > deepest) throw new TypeError(`toStrictSchema: expected a schema at most ${deepest} levels deep`);
  if (!isObject(schema)) return { type: anyScalar };
  const whole = list(schema['allOf']);
  if (whole.length === 1 && isObject(whole[0]))
    return translate({ ...whole[0], ...without(schema, 'allOf') }, depth + 1);
  if (whole.length > 1) throw new TypeError('toStrictSchema: allOf of several schemas cannot be made strict');

  const out: Record<string, JsonValue> = {};
  for (const keyword of keptAsIs) if (schema[keyword] !== undefined) out[keyword] = schema[keyword];
  if (isObject(schema['$defs'])) out['$defs'] = eachSchema(schema['$defs'], depth + 1);
  if (isObject(schema['definitions'])) out['definitions'] = eachSchema(schema['definitions'], depth + 1);

  const choices = [...list(schema['anyOf']), ...list(schema['oneOf'])];
  if (choices.length > 0) return { ...out, anyOf: choices.map((choice) => translate(choice, depth + 1)) };
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
        ? { anyOf: items.map((item) => translate(item, depth + 1)) }
        : translate(schema['items'] ?? true, depth + 1);
  }
  return types.includes('object') ? { ...out, ...translateObject(schema, depth + 1) } : out;
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
  if (schema['type'] !== 'object') throw new TypeError('toStrictSchema: expected a schema whose root is an object');
  return translate(schema, 0);
}
