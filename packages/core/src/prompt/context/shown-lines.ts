import type { RedactedFile } from '../../changes/redacted-change.js';
import { readNewLines } from '../new-side-lines.js';
import type { LineRange } from '../prompt-chunk.js';
import { contextLineBytes, MAX_CONTEXT_HEADER_BYTES } from '../render-diff.js';

/** Which lines of a file's new side a request shows. */
export interface ShownLines {
  /** Bytes that these ranges would add: lines that are shown already cost nothing. Never less than the real ones. */
  costOf(ranges: readonly LineRange[]): number;
  add(ranges: readonly LineRange[]): void;
  /** What was added, ascending, in runs as long as can be. */
  list(): readonly LineRange[];
}

const HUNK = 1;
const ADDED = 2;

/** Nothing is shown yet but these hunks, by place in the file. */
export function createShownLines(file: RedactedFile, hunks: readonly number[]): ShownLines {
  const lines = readNewLines(file);
  const marks = new Uint8Array(lines.length + 1);
  for (const at of hunks) {
    const hunk = file.hunks[at];
    if (hunk !== undefined) marks.fill(HUNK, hunk.newStart, hunk.newStart + hunk.newLines);
  }
  const hidden = ({ startLine, endLine }: LineRange): number[] => {
    const found: number[] = [];
    for (let line = Math.max(1, startLine); line <= Math.min(endLine, lines.length); line += 1)
      if (marks[line] === 0) found.push(line);
    return found;
  };
  return {
    costOf(ranges) {
      const found = [...new Set(ranges.flatMap(hidden))].sort((a, b) => a - b);
      return found.reduce((sum, line, at) => {
        const isNewRun = at === 0 || found[at - 1] !== line - 1;
        return sum + contextLineBytes(lines[line - 1] ?? '', line) + (isNewRun ? MAX_CONTEXT_HEADER_BYTES : 0);
      }, 0);
    },
    add(ranges) {
      for (const range of ranges) for (const line of hidden(range)) marks[line] = ADDED;
    },
    list() {
      const runs: { startLine: number; endLine: number }[] = [];
      marks.forEach((mark, line) => {
        if (mark !== ADDED) return;
        const last = runs.at(-1);
        if (last !== undefined && last.endLine === line - 1) last.endLine = line;
        else runs.push({ startLine: line, endLine: line });
      });
      return runs;
    },
  };
}
