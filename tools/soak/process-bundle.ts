// A child process as one file: a process that is killed hundreds of times must start fast, and compiling TypeScript at each start is not.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';

const here = fileURLToPath(new URL('.', import.meta.url));

export interface ProcessBundle {
  file: string;
  remove(): void;
}

/** `entry` is a file of this folder. */
export async function bundleProcess(entry: string): Promise<ProcessBundle> {
  // Inside node_modules: git and the linters leave it alone, and the native module that stays outside resolves from there.
  mkdirSync(join(here, 'node_modules'), { recursive: true });
  const folder = mkdtempSync(join(here, 'node_modules', '.bundle-'));
  await build({
    config: false,
    silent: true,
    entry: { bundle: join(here, entry) },
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
  return { file: join(folder, 'bundle.cjs'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
