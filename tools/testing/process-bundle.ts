// Child processes as bundles: a process that is started dozens of times must start fast, and
// compiling TypeScript at each start is not.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Options } from 'tsup';
import { plant, plantIn } from '../prove/planted-fault.js';

/** An edit of one source, whose `file` is absolute. */
export interface PlantedEdit {
  file: string;
  find: string;
  replace: string;
}

/**
 * Inside node_modules: git and the linters leave it alone, and the native module that stays outside
 * resolves from there.
 */
export function makeBundleFolder(packageFolder: string): { folder: string; remove(): void } {
  mkdirSync(join(packageFolder, 'node_modules'), { recursive: true });
  const folder = mkdtempSync(join(packageFolder, 'node_modules', '.bundle-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Bundles each entry, by its name, from the sources; with the fault that `npm run prove` has
 * planted, and with `edits`. Several ES modules share chunks. Rejects where an edit fits no file,
 * or not exactly once.
 */
export async function bundleInto(
  folder: string,
  entry: Readonly<Record<string, string>>,
  format: 'cjs' | 'esm',
  edits: readonly PlantedEdit[] = [],
): Promise<void> {
  const met = new Set<PlantedEdit>();
  const editedText = (path: string): string | undefined => {
    const own = edits.filter(({ file }) => file === path);
    for (const one of own) met.add(one);
    return own.length === 0 ? undefined : own.reduce((text, one) => plant(text, one), readFileSync(path, 'utf8'));
  };
  const planting: NonNullable<Options['esbuildPlugins']>[number] = {
    name: 'planted-fault',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const contents = editedText(path) ?? plantIn(path, () => readFileSync(path, 'utf8'));
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
      ? {
          banner: {
            js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
          },
        }
      : {}),
    esbuildPlugins: [planting],
    esbuildOptions(options) {
      options.conditions = ['criticizer-source'];
    },
  });
  const lost = edits.find((one) => !met.has(one));
  if (lost !== undefined) throw new Error(`${lost.file} is not part of the bundle`);
}
