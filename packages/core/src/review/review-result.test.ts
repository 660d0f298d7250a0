import { describe, expect, it } from 'vitest';
import { findingSchema, reviewResultJsonSchema, reviewResultSchema, summariseFindings } from './review-result.js';

const text = { type: 'string' };
const filled = { type: 'string', minLength: 1 };
const positive = { type: 'integer', minimum: 1 };
const canonical = {
  type: 'object',
  additionalProperties: false,
  required: ['schema_version', 'prompt_version', 'findings'],
  properties: {
    schema_version: { type: 'string', pattern: '^[0-9]+\\.[0-9]+$' },
    prompt_version: { type: 'string', pattern: '^[0-9]+\\.[0-9]+(\\.[0-9]+)?$' },
    summary: text,
    findings: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'severity', 'category', 'title', 'file', 'line', 'message'],
        properties: {
          id: filled,
          severity: { type: 'string', enum: ['critical', 'high', 'medium', 'low', 'info'] },
          category: {
            type: 'string',
            enum: ['correctness', 'security', 'performance', 'reliability', 'maintainability', 'style', 'test'],
          },
          title: filled,
          file: filled,
          line: positive,
          end_line: positive,
          message: filled,
          suggestion: text,
          confidence: { type: 'string', enum: ['high', 'medium', 'low'] },
          rule_id: text,
        },
      },
    },
    meta: { type: 'object', additionalProperties: true },
  },
};

const finding = {
  id: 'f1',
  severity: 'high',
  category: 'security',
  title: 'A title',
  file: '//depot/a.c',
  line: 3,
  message: 'A message',
};

describe('review result', () => {
  it('OUT-1: the JSON schema is the canonical one, key for key', () => {
    expect(reviewResultJsonSchema).toStrictEqual(canonical);
  });

  it('OUT-1: the zod schema refuses undocumented keys, off enums, blank texts and lines below 1', () => {
    expect(findingSchema.safeParse(finding).success).toBe(true);
    for (const change of [
      { extra: 1 },
      { severity: 'blocker' },
      { category: 'other' },
      { confidence: 'sure' },
      { title: '' },
      { line: 0 },
      { line: 1.5 },
      { end_line: 0 },
      { suggestion: null },
      { rule_id: 4 },
    ]) {
      expect(findingSchema.safeParse({ ...finding, ...change }).success).toBe(false);
    }
    for (const key of canonical.properties.findings.items.required) {
      const { [key as keyof typeof finding]: _gone, ...rest } = finding;
      expect(findingSchema.safeParse(rest).success).toBe(false);
    }
  });

  it('OUT-1: versions follow their patterns and meta is open', () => {
    const whole = {
      schema_version: '1.0',
      prompt_version: '1.0.2',
      findings: [finding],
      meta: { any: { thing: [1] } },
    };
    expect(reviewResultSchema.safeParse(whole).success).toBe(true);
    for (const change of [
      { schema_version: '1' },
      { schema_version: '1.0.0' },
      { prompt_version: 'v1.0' },
      { meta: [] },
      { other: 1 },
    ]) {
      expect(reviewResultSchema.safeParse({ ...whole, ...change }).success).toBe(false);
    }
  });

  it('counts by severity, zero where there is none', () => {
    expect(summariseFindings([{ severity: 'low' }, { severity: 'critical' }, { severity: 'low' }])).toEqual({
      critical: 1,
      high: 0,
      medium: 0,
      low: 2,
      info: 0,
    });
  });
});
