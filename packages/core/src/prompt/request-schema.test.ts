import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../foundation/json.js';
import { toStrictSchema } from '../llm/response-schema.js';
import { builtInVariant } from './built-in-variant.js';
import { requestSchema } from './request-schema.js';
import { systemPrompt } from './template.js';

type Schema = Parameters<typeof z.fromJSONSchema>[0];
const accepts = (schema: JsonObject, value: object): boolean =>
  z.fromJSONSchema(schema as Schema).safeParse(value).success;

const review = (more: object) => ({
  schema_version: builtInVariant.schemaVersion,
  prompt_version: builtInVariant.promptVersion,
  findings: [],
  ...more,
});
const list = { quotes: [{ id: 'f1', quote: 'let a = b' }] };
const map = { quotes: { f1: 'let a = b' } };

describe('the schema of a request', () => {
  it('PR-3: strict modes can send quotes, as a list and in no other place of meta', () => {
    const strict = toStrictSchema(requestSchema('list', builtInVariant));
    const summary = 'None.';
    expect(accepts(strict, review({ summary, meta: list }))).toBe(true);
    for (const meta of [map, {}, { quotes: [{ id: 'f1' }] }, { ...list, more: 1 }]) {
      expect(accepts(strict, review({ summary, meta }))).toBe(false);
    }
  });

  it('PR-3: the modes that state the schema send quotes as a map, and leave meta open', () => {
    for (const meta of [map, {}, { more: 1 }])
      expect(accepts(requestSchema('map', builtInVariant), review({ meta }))).toBe(true);
    expect(accepts(requestSchema('map', builtInVariant), review({}))).toBe(true);
    expect(accepts(requestSchema('map', builtInVariant), review({ meta: list }))).toBe(false);
  });

  it.each(['map', 'list'] as const)('PR-1: both versions are constants in the schema with quotes as a %s', (shape) => {
    const schema = requestSchema(shape, builtInVariant);
    expect(accepts(schema, review({ meta: shape === 'map' ? map : list }))).toBe(true);
    for (const other of [{ schema_version: '9.0' }, { prompt_version: '9.0' }])
      expect(accepts(schema, review({ meta: shape === 'map' ? map : list, ...other }))).toBe(false);
  });

  it('PR-3: the prompt asks for the shape that the schema allows', () => {
    expect(systemPrompt(builtInVariant, { quotes: 'list' })).toMatch(/meta\.quotes: a list of objects/);
    expect(systemPrompt(builtInVariant, { quotes: 'map' })).toMatch(/meta\.quotes: an object from finding id/);
    expect(systemPrompt(builtInVariant, { quotes: 'list' })).not.toMatch(/open place/);
  });
});
