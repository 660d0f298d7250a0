import type { RedactedFile } from '../changes/redacted-change.js';
import type { LineRange } from './prompt-chunk.js';

const known = new WeakMap<RedactedFile, readonly string[]>();

/** The lines of a file's new side, without their line feeds; none where the change does not hold it whole. */
export function readNewLines(file: RedactedFile): readonly string[] {
  const found = known.get(file);
  if (found !== undefined) return found;
  const lines = file.newText === undefined || file.newText === '' ? [] : file.newText.split('\n');
  // The last line feed ends a line and begins none.
  const kept = lines.at(-1) === '' ? lines.slice(0, -1) : lines;
  known.set(file, kept);
  return kept;
}

/** The lines of a range, as far as the file has them. */
export function sliceLines(file: RedactedFile, { startLine, endLine }: LineRange): readonly string[] {
  return readNewLines(file).slice(startLine - 1, endLine);
}
