import type { Hunk } from '@criticizer/core/ports';
import { structuredPatch } from 'diff';

export interface HunkOptions {
  /** Unchanged lines round each hunk. */
  contextLines: number;
  /** How long the search for a short diff may take. Default 500. */
  timeoutMs?: number | undefined;
  /** Most added plus removed lines of a short diff. Default 20 000. */
  maxEditLength?: number | undefined;
}

/** The difference of two texts. */
export interface TextDiff {
  hunks: Hunk[];
  addedLines: number;
  removedLines: number;
}

const noNewlineMark = '\\ No newline at end of file';

/**
 * Unified hunks from old to new; '' for a side that does not exist. Line numbers are exact, lines
 * keep a `\r` before the break, a last line without a break is flagged. Past the bounds the result
 * is still right but longer: one hunk replaces all between the first and the last difference.
 */
export function buildHunks(oldText: string, newText: string, options: HunkOptions): TextDiff {
  const { contextLines, timeoutMs = 500, maxEditLength = 20_000 } = options;
  const patch = structuredPatch('', '', oldText, newText, undefined, undefined, {
    context: contextLines,
    timeout: timeoutMs,
    maxEditLength,
  });
  return countLines(patch === undefined ? replaceMiddle(oldText, newText, contextLines) : patch.hunks.map(toHunk));
}

/** The format counts from one, but names the line before where a side has no lines. */
function toHunk(hunk: {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: readonly string[];
}): Hunk {
  const lines: string[] = [];
  let oldNoNewline = false;
  let newNoNewline = false;
  for (const line of hunk.lines) {
    if (line !== noNewlineMark) {
      lines.push(line);
      continue;
    }
    const side = lines.at(-1)?.[0];
    oldNoNewline ||= side !== '+';
    newNoNewline ||= side !== '-';
  }
  // A copy: cut out of the texts, a line would hold both of them in memory for as long as it lives.
  const copied = [...lines, ''].join('\n').split('\n').slice(0, -1);
  return {
    oldStart: hunk.oldLines === 0 ? hunk.oldStart - 1 : hunk.oldStart,
    oldLines: hunk.oldLines,
    newStart: hunk.newLines === 0 ? hunk.newStart - 1 : hunk.newStart,
    newLines: hunk.newLines,
    lines: copied,
    ...(oldNoNewline ? { oldNoNewline } : {}),
    ...(newNoNewline ? { newNoNewline } : {}),
  };
}

function replaceMiddle(oldText: string, newText: string, contextLines: number): Hunk[] {
  const before = splitLines(oldText);
  const after = splitLines(newText);
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const from = Math.max(0, head - contextLines);
  const keptTail = Math.min(tail, contextLines);
  const oldTo = before.length - tail;
  const newTo = after.length - tail;
  const marked = [
    ...mark(' ', before.slice(from, head)),
    ...mark('-', before.slice(head, oldTo)),
    ...mark('+', after.slice(head, newTo)),
    ...mark(' ', before.slice(oldTo, oldTo + keptTail)),
  ];
  const hunk = {
    oldStart: from + 1,
    oldLines: oldTo + keptTail - from,
    newStart: from + 1,
    newLines: newTo + keptTail - from,
    lines: marked,
  };
  return [toHunk(hunk)];
}

function splitLines(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

function mark(sign: string, lines: readonly string[]): string[] {
  return lines.flatMap((line) => (line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, noNewlineMark]));
}

function countLines(hunks: Hunk[]): TextDiff {
  let addedLines = 0;
  let removedLines = 0;
  for (const { lines } of hunks) {
    for (const line of lines) {
      if (line.startsWith('+')) addedLines += 1;
      else if (line.startsWith('-')) removedLines += 1;
    }
  }
  return { hunks, addedLines, removedLines };
}
