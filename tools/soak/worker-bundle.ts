// The worker as one file: a process that is killed hundreds of times must start fast, and compiling TypeScript at each start is not.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';

const here = fileURLToPath(new URL('.', import.meta.url));

export interface WorkerBundle {
  file: string;
  remove(): void;
}

export async function bundleWorker(): Promise<WorkerBundle> {
  // Inside node_modules: git and the linters leave it alone, and the native module that stays outside resolves from there.
  mkdirSync(join(here, 'node_modules'), { recursive: true });
  const folder = mkdtempSync(join(here, 'node_modules', '.worker-'));
  await build({
    config: false,
    silent: true,
    entry: { worker: join(here, 'worker-process.ts') },
    outDir: folder,
    format: ['cjs'],
    target: 'node20',
    external: ['@photostructure/sqlite', 'pg-native'],
    noExternal: [/^(?!@photostructure\/|pg-native)/],
    removeNodeProtocol: false,
    esbuildOptions(options) {
      options.conditions = ['criticizer-source'];
    },
  });
  return { file: join(folder, 'worker.cjs'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
