import type { Fault } from './fault.js';

export const prFaults: readonly Fault[] = [
  {
    id: 'PR-1',
    file: 'packages/core/src/review/read/read-envelope.ts',
    find: 'acceptsSchemaVersion(schemaVersion, expected.schemaVersion)',
    replace: 'acceptsSchemaVersion(schemaVersion, schemaVersion)',
    tests: 'core/src/review/read/parse-review',
  },
  {
    id: 'PR-2',
    file: 'packages/core/src/review/read/read-envelope.ts',
    find: 'minor >= wantedMinor',
    replace: 'minor !== wantedMinor + 2',
    tests: 'core/src/review/read/parse-review',
  },
  {
    id: 'PR-3',
    file: 'packages/core/src/llm/openai-request.ts',
    find: 'strict: true, schema: toStrictSchema(schema)',
    replace: 'strict: false, schema: toStrictSchema(schema)',
    tests: 'llm/openai-provider.test',
  },
  {
    id: 'PR-3',
    file: 'packages/core/src/prompt/template.ts',
    find: 'leave it out: omit, never invent.',
    replace: 'say so.',
    tests: 'prompt/template',
  },
  {
    id: 'PR-4',
    file: 'packages/core/src/memory/memory-rollout-store.ts',
    find: "if (stored !== expectedRevision) return { outcome: 'conflict', revision: stored };",
    replace: '',
    tests: 'core/src/memory/memory-stores',
  },
  {
    id: 'PR-5',
    file: 'packages/core/src/memory/memory-rollout-store.ts',
    find: '(total[counter] ?? 0) + count',
    replace: 'count',
    tests: 'core/src/memory/memory-stores',
  },
  {
    id: 'P4-1',
    file: 'packages/p4/src/policy/allow-list.ts',
    find: 'if (allow.length === 0)\n    throw',
    replace: 'if (allow.length < 0) throw',
  },
  {
    id: 'PR-1',
    file: 'packages/core/src/prompt/request-schema.ts',
    find: "prompt_version: { type: 'string', const: PROMPT_VERSION },",
    replace: "prompt_version: { type: 'string' },",
    tests: 'prompt/request-schema',
  },
  {
    id: 'PR-3',
    file: 'packages/core/src/stages/review-request.ts',
    find: "mode === 'json_schema' || mode === 'tool' ? 'list' : 'map'",
    replace: "mode === 'json_schema' ? 'map' : 'map'",
    tests: 'core/test/quotes',
  },
];
