import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vitest/config';

const seeded = fileURLToPath(new URL('./seeded-fast-check.ts', import.meta.url));

/**
 * Vite plugin: whoever imports fast-check gets it seeded. A setup file would load it for all tests;
 * one in five has properties.
 */
export function seededProperties(): Plugin {
  return {
    name: 'seeded-properties',
    enforce: 'pre',
    resolveId: (id, importer) => (id === 'fast-check' && importer !== seeded ? seeded : undefined),
  };
}
