import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const notOurs = new Set(['node_modules', 'dist', 'coverage', '.git']);

/**
 * The files under `root`/`folder` whose path ends in `ending`, with forward slashes, relative to
 * `root`, sorted. A missing folder has none.
 */
export function listFiles(root: string, folder: string, ending: string): string[] {
  const found: string[] = [];
  const walk = (at: string): void => {
    for (const entry of readEntries(join(root, at))) {
      const path = `${at}/${entry.name}`;
      if (entry.isDirectory() && !notOurs.has(entry.name)) walk(path);
      else if (entry.isFile() && path.endsWith(ending)) found.push(path);
    }
  };
  walk(folder);
  return found.sort();
}

function readEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw e;
  }
}
