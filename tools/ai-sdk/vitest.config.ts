import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// The tests of the bridge, with the V4 packages of this folder in place of the workspace's V3.
export default defineConfig({
  root: here('../..'),
  resolve: { alias: [{ find: /^@ai-sdk\/(.*)$/, replacement: here('node_modules/@ai-sdk/$1') }] },
  ssr: { resolve: { conditions: ['criticizer-source', 'node', 'development|production'] } },
  test: {
    name: 'llm-ai-sdk, V4',
    include: ['packages/llm-ai-sdk/test/**/*.test.ts'],
    environment: 'node',
    env: { AI_SDK_SPECIFICATION: 'v4' },
    reporters: ['default', './tools/testing/line-reporter.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
