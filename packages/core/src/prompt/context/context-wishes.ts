import type { RedactedChange, RedactedFile } from '../../changes/redacted-change.js';
import { rankOf } from '../chunks/path-rank.js';
import { readNewLines } from '../new-side-lines.js';
import type { LineRange, PromptChunk } from '../prompt-chunk.js';
import type { ContextWish } from './context-wish.js';
import { type ChangedLines, listChangedSections } from './file-sections.js';
import { wishNamed } from './named-lines.js';

/** A section up to this long, about 900 tokens, is wanted whole. */
const MAX_WHOLE_LINES = 110;
/** Lines of a declaration that are shown of a longer one. */
const MAX_HEAD_LINES = 12;
/** Unchanged lines on each side of changed ones, where the section is too long or unknown. */
const NEAR_LINES = 20;
const NEAREST_LINES = 8;
/** A file up to this long is shown whole. */
const MAX_SMALL_FILE_LINES = 150;
const MAX_SMALL_FILE_BYTES = 6_000;

function nearLines({ startLine, endLine }: LineRange, bounds: LineRange, lines: number): LineRange {
  return {
    startLine: Math.max(bounds.startLine, startLine - lines),
    endLine: Math.min(bounds.endLine, endLine + lines),
  };
}

/** The forms of the context of changed lines: their section whole, or its head and the lines near them. */
function listForms({ range, section }: ChangedLines, whole: LineRange): readonly (readonly LineRange[])[] {
  if (section === null) return [NEAR_LINES, NEAREST_LINES].map((lines) => [nearLines(range, whole, lines)]);
  const { startLine, bodyLine, endLine } = section;
  const head = { startLine, endLine: Math.min(Math.max(bodyLine, startLine), startLine + MAX_HEAD_LINES - 1) };
  const end = { startLine: endLine, endLine };
  const parts = [NEAR_LINES, NEAREST_LINES].map((lines) => [head, nearLines(range, section, lines), end]);
  const isShort = endLine - startLine < MAX_WHOLE_LINES;
  return isShort ? [[{ startLine, endLine }], ...parts] : parts;
}

/** One wish for each section that a file's hunks change, in the order of the file. */
function wishSections(file: RedactedFile, at: number, hunks: readonly number[]): readonly ContextWish[] {
  const whole = { startLine: 1, endLine: readNewLines(file).length };
  if (whole.endLine === 0) return [];
  return hunks.flatMap((position) => {
    const hunk = file.hunks[position];
    if (hunk === undefined) return [];
    return listChangedSections(file, hunk).map((changed) => ({
      file: at,
      forms: listForms(changed, whole),
      isCounted: true,
    }));
  });
}

function wishWhole(file: RedactedFile, at: number): readonly ContextWish[] {
  const lines = readNewLines(file).length;
  const isSmall =
    lines > 0 && lines <= MAX_SMALL_FILE_LINES && Buffer.byteLength(file.newText ?? '') <= MAX_SMALL_FILE_BYTES;
  return isSmall ? [{ file: at, forms: [[{ startLine: 1, endLine: lines }]], isCounted: false }] : [];
}

/** The first of each list, then the second of each: no file's wishes keep another's waiting. */
function takeTurns<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => lists.flatMap((list) => list.slice(turn, turn + 1))).flat();
}

/**
 * What a chunk's hunks would be explained by, the most useful first: the section that each is
 * in, source before prose; with `wide`, small files whole and what changed lines name. Deterministic.
 */
export function listWishes(
  change: RedactedChange,
  chunk: Pick<PromptChunk, 'files'>,
  level: 'sections' | 'wide',
): readonly ContextWish[] {
  const shown = chunk.files
    .flatMap(({ file: at, hunks }) => {
      const file = change.files[at];
      return file === undefined ? [] : [{ file, at, hunks, rank: rankOf(file.displayPath ?? file.path) }];
    })
    .sort((a, b) => a.rank - b.rank || a.at - b.at);
  const sections = takeTurns(shown.map(({ file, at, hunks }) => wishSections(file, at, hunks)));
  if (level === 'sections') return sections;
  return [...sections, ...shown.flatMap(({ file, at }) => wishWhole(file, at)), ...wishNamed(change, chunk)];
}
