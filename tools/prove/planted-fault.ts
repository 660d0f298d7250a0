import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vitest/config';
import type { Fault } from './faults.js';

type Edit = Pick<Fault, 'file' | 'find' | 'replace'>;

/**
 * The environment variable that holds the edit as JSON, its `file` absolute. Test workers and their
 * child processes inherit it.
 */
export const faultVariable = 'CRITICIZER_PLANTED_FAULT';
const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The text with the fault in it. Throws where `find` does not stand there exactly once, or the
 * fault changes nothing.
 */
export function plant(text: string, { file, find, replace }: Edit): string {
  const parts = text.split(find);
  if (find === '' || parts.length !== 2)
    throw new Error(`fault: '${find}' stands ${parts.length - 1} times in ${file}, not once`);
  if (find === replace) throw new Error(`fault: '${find}' is replaced by itself in ${file}`);
  return parts.join(replace);
}

/** Puts the edit where the plugin and child processes find it; `undefined` takes it away. */
export function setPlantedFault(fault: Edit | undefined): void {
  if (fault === undefined) {
    delete process.env[faultVariable];
    return;
  }
  const file = isAbsolute(fault.file) ? fault.file : join(root, fault.file);
  plant(readFileSync(file, 'utf8'), fault);
  process.env[faultVariable] = JSON.stringify({ file, find: fault.find, replace: fault.replace });
}

/** The text of a source with the fault of the environment in it; undefined where it has none. */
export function plantIn(file: string, textOf: () => string): string | undefined {
  const edit = process.env[faultVariable];
  if (edit === undefined) return undefined;
  const fault = JSON.parse(edit) as Edit;
  return file === fault.file ? plant(textOf(), fault) : undefined;
}

/** Vite plugin: plants the fault of the environment, in memory. Does nothing in an ordinary run. */
export function plantedFault(): Plugin {
  return {
    name: 'planted-fault',
    enforce: 'pre',
    transform(code, id) {
      const planted = plantIn(id.replace(/\?.*$/, ''), () => code);
      if (planted !== undefined) return { code: planted, map: null };
    },
  };
}
