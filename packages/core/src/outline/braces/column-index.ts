import type { TokenList } from '../scan/token-list.js';

/** The lines of a text by their columns. Index 0 is line 1. */
export interface ColumnIndex {
  /** First token of each line, -1 where it has none. */
  readonly firstTokens: Int32Array;
  /** The next line with a token in a smaller column; 0 where none comes. */
  readonly nextSmaller: Int32Array;
}

/** Builds the index in one walk: each line is put on the stack once and taken off once. */
export function columnIndex(tokens: TokenList): ColumnIndex {
  const lines = Math.max(tokens.lineCount, tokens.indents.length) + 1;
  const firstTokens = new Int32Array(lines).fill(-1);
  const nextSmaller = new Int32Array(lines);
  const waiting: number[] = [];
  for (let at = 0; at < tokens.count; at += 1) {
    if (!tokens.isFirstOnLine(at)) continue;
    const line = tokens.line(at);
    firstTokens[line - 1] = at;
    const column = tokens.indent(at);
    for (let top = waiting.at(-1); top !== undefined; top = waiting.at(-1)) {
      if ((tokens.indents[top - 1] ?? 0) <= column) break;
      nextSmaller[top - 1] = line;
      waiting.pop();
    }
    waiting.push(line);
  }
  return { firstTokens, nextSmaller };
}
