import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { bundleInto, makeBundleFolder } from '../../../tools/testing/process-bundle.js';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The demo's programs, ready for plain Node. */
export interface DemoBundle {
  demo: string;
  crashWorker: string;
  mailServer: string;
}

/**
 * Bundles the programs of the demo once for all tests of a file: started from the sources, each
 * costs two seconds of processor time. Where one starts another, it starts its neighbour in the
 * bundle.
 */
export async function bundleDemo(): Promise<DemoBundle> {
  const { folder, remove } = makeBundleFolder(file('..'));
  afterAll(remove);
  const entry = {
    demo: '../src/demo.ts',
    'review-worker': '../src/queue/review-worker.ts',
    'mail-server': '../src/mail/mail-server.ts',
  };
  const programs = Object.entries({ ...entry, 'crash-worker': './crash-worker.ts' });
  // The Perforce simulator asks for its package by name, as in a host that has it installed.
  const simulator = join(folder, 'node_modules/@criticizer/p4');
  mkdirSync(simulator, { recursive: true });
  const manifest = { name: '@criticizer/p4', exports: { './testing': './testing.cjs' } };
  writeFileSync(join(simulator, 'package.json'), JSON.stringify(manifest));
  await Promise.all([
    bundleInto(folder, Object.fromEntries(programs.map(([name, path]) => [name, file(path)])), 'esm'),
    bundleInto(simulator, { testing: file('../../../packages/p4/src/testing/run-simulator.ts') }, 'cjs'),
  ]);
  return {
    demo: join(folder, 'demo.mjs'),
    crashWorker: join(folder, 'crash-worker.mjs'),
    mailServer: join(folder, 'mail-server.mjs'),
  };
}

/** The mail server alone, where the rest of the demo runs in the test's own process. */
export async function bundleMailServer(): Promise<string> {
  const { folder, remove } = makeBundleFolder(file('..'));
  afterAll(remove);
  await bundleInto(folder, { 'mail-server': file('../src/mail/mail-server.ts') }, 'esm');
  return join(folder, 'mail-server.mjs');
}
