import type { ContextHit } from '../../../changes/context-reader.js';
import { enclosing } from '../../../outline/find-section.js';
import type { LineRange, Outline } from '../../../outline/section.js';

/** Files with uses of one name, nearest first, and uses in each. */
const MAX_FILES = 6;
const MAX_USES = 2;
/** A function up to this long is shown whole round a use; of a longer one, lines on each side. */
const MAX_WHOLE_LINES = 24;
const LINES_ROUND = 6;

/** A line that uses a name. */
export interface Use {
  word: string;
  path: string;
  line: number;
}

/** The first of each list, then the second of each. */
export function takeTurns<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => lists.flatMap((list) => list.slice(turn, turn + 1))).flat();
}

/** A line that brings the name in and does nothing with it. */
const isImport = (line: string): boolean =>
  /^\s*(?:#\s*(?:include|import)|import\b|from\b|using\b|use\b|export\b.*\bfrom\b|.*\brequire\s*\(?\s*["'])/.test(line);

/** Lines of which none shows what another shows, imports last. */
function chooseLines(hits: readonly ContextHit[]): readonly number[] {
  const kept: number[] = [];
  for (const { line } of [...hits].sort(
    (a, b) => Number(isImport(a.text)) - Number(isImport(b.text)) || a.line - b.line,
  ))
    if (kept.every((other) => Math.abs(other - line) > LINES_ROUND)) kept.push(line);
  return kept.slice(0, MAX_USES);
}

/** Uses of a word that are worth a look, of the nearest files: one of each file, then a second of each. */
export function chooseUses(
  word: string,
  hits: readonly ContextHit[],
  rank: (paths: readonly string[]) => readonly string[],
): readonly Use[] {
  const byPath = new Map<string, ContextHit[]>();
  for (const hit of hits) {
    const own = byPath.get(hit.path);
    if (own === undefined) byPath.set(hit.path, [hit]);
    else own.push(hit);
  }
  const near = rank([...byPath.keys()]).slice(0, MAX_FILES);
  return takeTurns(near.map((path) => chooseLines(byPath.get(path) ?? []).map((line) => ({ word, path, line }))));
}

/** The lines that explain a use: the function round it where it is short, else the lines near it. */
export function showUse(known: Outline, line: number): LineRange {
  const section = enclosing(known, line, line);
  const isFunction = section?.kind === 'function';
  if (isFunction && section.endLine - section.startLine < MAX_WHOLE_LINES)
    return { startLine: section.startLine, endLine: section.endLine };
  const bounds = isFunction ? section : { startLine: 1, endLine: Number.MAX_SAFE_INTEGER };
  return {
    startLine: Math.max(bounds.startLine, line - LINES_ROUND),
    endLine: Math.min(bounds.endLine, line + LINES_ROUND),
  };
}
