import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../foundation/json.js';
import { toStrictSchema } from './response-schema.js';

const keywords = new Set([
  'type',
  'enum',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  '$ref',
  '$defs',
  'definitions',
  'description',
]);

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What the vendor checks before it accepts a schema. */
function assertStrict(schema: JsonValue | undefined): void {
  if (!isObject(schema)) throw new Error('expected a schema object');
  for (const keyword of Object.keys(schema)) expect(keywords, keyword).toContain(keyword);
  const types = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  if (types.includes('object')) {
    expect(schema['additionalProperties']).toBe(false);
    const properties = isObject(schema['properties']) ? schema['properties'] : {};
    expect(schema['required']).toEqual(Object.keys(properties));
    for (const property of Object.values(properties)) assertStrict(property);
  }
  if (types.includes('array')) assertStrict(schema['items']);
  for (const choice of Array.isArray(schema['anyOf']) ? schema['anyOf'] : []) assertStrict(choice);
  for (const defs of [schema['$defs'], schema['definitions']])
    if (isObject(defs)) for (const one of Object.values(defs)) assertStrict(one);
}

const object = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
});

const anySchema = fc.letrec<{ schema: JsonValue }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<JsonValue>(
      { type: 'string', minLength: 1, pattern: '^a', format: 'email', default: 'a' },
      { type: 'integer', minimum: 1, maximum: 9, multipleOf: 2 },
      { type: ['number', 'null'] },
      { enum: ['a', 1, null] },
      { const: 'x' },
      {},
      true,
    ),
    fc.record({ type: fc.constant('array'), items: tie('schema'), maxItems: fc.nat(9) }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc
      .record({
        properties: fc.dictionary(fc.string({ maxLength: 12 }), tie('schema'), { maxKeys: 4 }),
        some: fc.boolean(),
      })
      .map(({ properties, some }) => object(properties, some ? Object.keys(properties).slice(0, 1) : [])),
  ),
})).schema;

describe('toStrictSchema', () => {
  it('makes every property required and what was optional nullable', () => {
    const strict = toStrictSchema(object({ a: { type: 'string' }, b: { type: 'integer', minimum: 1 } }, ['a']));
    expect(strict).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: ['integer', 'null'] } },
      required: ['a', 'b'],
      additionalProperties: false,
    });
  });

  it.each<[string, JsonValue, JsonValue]>([
    ['an enum', { type: 'string', enum: ['a', 'b'] }, { type: ['string', 'null'], enum: ['a', 'b', null] }],
    ['a constant', { const: 'a' }, { type: ['string', 'null'], enum: ['a', null] }],
    ['a reference', { $ref: '#/$defs/x' }, { anyOf: [{ $ref: '#/$defs/x' }, { type: 'null' }] }],
    ['a choice', { oneOf: [{ type: 'string' }] }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    [
      'a choice with null',
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
    ],
    ['what is nullable already', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
    [
      'an array',
      { type: 'array', items: { type: 'string' }, minItems: 1 },
      { type: ['array', 'null'], items: { type: 'string' } },
    ],
    ['anything', {}, { type: ['string', 'number', 'boolean', 'null'] }],
    ['one allOf', { allOf: [{ type: 'string' }], description: 'd' }, { type: ['string', 'null'], description: 'd' }],
  ])('optional: %s', (_name, property, expected) => {
    expect(toStrictSchema(object({ p: property }))['properties']).toEqual({ p: expected });
  });

  it('keeps the order of properties, which the reply follows', () => {
    const strict = toStrictSchema(object({ z: { type: 'string' }, a: { type: 'string' }, m: { type: 'string' } }));
    expect(strict['required']).toEqual(['z', 'a', 'm']);
  });

  it('accepts what zod prints', () => {
    const review = z.object({
      findings: z.array(
        z.object({
          severity: z.enum(['low', 'high']),
          line: z.number().int().min(1).optional(),
          message: z.string().min(1),
        }),
      ),
      summary: z.string().max(100).nullish(),
      meta: z.object({ version: z.literal('1.0') }),
    });
    assertStrict(toStrictSchema(z.toJSONSchema(review) as JsonObject));
  });

  it('any schema comes out strict, the same each time, and unchanged where it was strict', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), anySchema, { maxKeys: 4 }), (properties) => {
        const schema = object(properties, Object.keys(properties).slice(1));
        const strict = toStrictSchema(schema);
        assertStrict(strict);
        expect(JSON.stringify(toStrictSchema(schema))).toBe(JSON.stringify(strict));
        expect(toStrictSchema(strict)).toEqual(strict);
      }),
    );
  });

  it('keeps a property named __proto__ a property', () => {
    const schema: unknown = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}');
    const strict = toStrictSchema(schema as JsonObject);
    expect(strict['required']).toEqual(['__proto__']);
    expect(Object.keys(strict['properties'] as JsonObject)).toEqual(['__proto__']);
  });

  it('refuses what cannot be strict', () => {
    expect(() => toStrictSchema({ type: 'array' })).toThrow(TypeError);
    expect(() => toStrictSchema({ anyOf: [] })).toThrow(TypeError);
    expect(() => toStrictSchema(object({ a: { allOf: [{ type: 'string' }, { minLength: 1 }] } }))).toThrow(TypeError);
    let deep: JsonValue = { type: 'string' };
    for (let level = 0; level < 100; level++) deep = { type: 'array', items: deep };
    expect(() => toStrictSchema(object({ deep }))).toThrow(TypeError);
  });
});
