import type { Fault } from './fault.js';

export const egrFaults: readonly Fault[] = [
  {
    id: 'EGR-1',
    file: 'packages/core/src/llm/openai-request.ts',
    find: 'content: readRedactedText(text).text }',
    replace: "content: '' }",
    tests: 'llm/openai-provider.int',
  },
  {
    id: 'EGR-1',
    file: 'packages/core/src/egress/guarded-exchange.ts',
    find: 'const recordId = await appendRecord(options, plan);',
    replace: "const recordId = '';",
    tests: 'egress/guarded-exchange',
  },
  {
    id: 'EGR-1',
    file: 'packages/core/src/llm/openai-request.ts',
    find: '...request.turns.map(',
    replace: '...request.turns.slice(-1).map(',
    tests: 'llm/openai-provider.int',
  },
  {
    id: 'EGR-2',
    file: 'packages/core/src/egress/pattern-trie.ts',
    find: '(best, node) => Math.max(best, node.value), certain)',
    replace: '(best, node) => (best === -1 ? node.value : best), certain)',
    tests: 'egress/provider-policy',
  },
  {
    id: 'EGR-2',
    file: 'packages/core/src/egress/pattern-trie.ts',
    find: "(node.wildcard === WITHIN_STEP && char !== '/')",
    replace: 'node.wildcard === WITHIN_STEP',
    tests: 'egress/provider-policy',
  },
  {
    id: 'EGR-2',
    file: 'packages/core/src/stages/true-paths.ts',
    find: 'return oldPath === null ? [path] : [path, oldPath];',
    replace: 'return [path];',
    tests: 'core/test/criticizer.test',
  },
  {
    id: 'EGR-3',
    file: 'packages/core/src/egress/guarded-exchange.ts',
    find: 'return (await prepareChecked(options)).plan;',
    replace: "return { ...(await prepareChecked(options)).plan, body: '' };",
    tests: 'egress/guarded-exchange',
  },
  {
    id: 'EGR-4',
    file: 'packages/core/src/egress/kill-switch.ts',
    find: "'degraded' in answer && answer.degraded === true",
    replace: "'degraded' in answer && answer.degraded === 1",
    tests: 'egress/kill-switch',
  },
  {
    id: 'EGR-4',
    file: 'packages/core/src/egress/kill-switch.ts',
    find: '{ stopped: true, providers: null, by: null, reason: null }',
    replace: '{ stopped: false, providers: null, by: null, reason: null }',
    tests: 'egress/kill-switch',
  },
  {
    id: 'EGR-5',
    file: 'packages/core/src/outbox/deliver.ts',
    find: "kind: maybeSent ? 'unknown' : 'failed'",
    replace: "kind: 'failed'",
    tests: 'core/src/outbox/deliver',
  },
];
