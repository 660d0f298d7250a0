import { linkSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Whole or not at all; where the file is there already, it stays: of two first runs at once, both
 * go on with the same state.
 */
export function createOnce(file: string, text: string): void {
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, text, { mode: 0o600, flush: true });
  try {
    linkSync(partial, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(partial, { force: true });
  }
}
