// Child processes as bundles: a process that is started dozens of times must start fast, and compiling TypeScript at each start is not.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Options } from 'tsup';
import { plantIn } from './planted-fault.js';

/** Inside node_modules: git and the linters leave it alone, and the native module that stays outside resolves from there. */
export function makeBundleFolder(packageFolder: string): { folder: string; remove(): void } {
  mkdirSync(join(packageFolder, 'node_modules'), { recursive: true });
  const folder = mkdtempSync(join(packageFolder, 'node_modules', '.bundle-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Bundles each entry, by its name, from the sources; with the fault that `npm run prove` has planted. Several ES modules share chunks. */
export async function bundleInto(folder: string, entry: Readonly<Record<string, string>>, format: 'cjs' | 'esm'): Promise<void> {
  const plant: NonNullable<Options['esbuildPlugins']>[number] = {
    name: 'planted-fault',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const contents = plantIn(path, () => readFileSync(path, 'utf8'));
        return contents === undefined ? undefined : { contents, loader: 'ts' };
      }),
  };
  await build({
    config: false,
    silent: true,
    entry: { ...entry },
    outDir: folder,
    format: [format],
    splitting: format === 'esm',
    target: 'node20',
    external: ['@photostructure/sqlite', 'pg-native'],
    noExternal: [/^(?!@photostructure\/|pg-native)/],
    removeNodeProtocol: false,
    outExtension: () => ({ js: format === 'esm' ? '.mjs' : '.cjs' }),
    // CommonJS dependencies inside an ES module call require for Node's own modules.
    ...(format === 'esm'
      ? { banner: { js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);" } }
      : {}),
    esbuildPlugins: [plant],
    esbuildOptions(options) {
      options.conditions = ['criticizer-source'];
    },
  });
}
