import type { RedactedChange, RedactedFile } from '../../changes/redacted-change.js';
import { readNewLines } from '../new-side-lines.js';
import type { LineRange, PromptChunk } from '../prompt-chunk.js';
import type { ContextWish } from './context-wish.js';
import { readOutline } from './file-sections.js';

/** Words of a chunk's changed lines that are looked for. */
const MAX_WORDS = 48;
/** A word on more lines of the chunk's files than this names nothing in particular. */
const MAX_LINES_OF_A_WORD = 10;
/** A section up to this long is wanted whole, a longer one by its first lines. */
const MAX_WHOLE_LINES = 60;
const MAX_HEAD_LINES = 8;
/** Unchanged lines on each side of a line that holds a word. */
const NEAR_LINES = 2;
/** Longer lines are data, or made by tools. */
const MAX_LINE_LENGTH = 500;

const wordPattern = /[\p{L}_$][\p{L}\p{N}_$]{2,63}/gu;

/** A line of a file, which goes by its place in the change. */
export interface Place {
  file: number;
  line: number;
}

/** A file with its new side whole, and some of its hunks. */
export interface ShownFile {
  /** By place in the change. */
  at: number;
  file: RedactedFile;
  hunks: readonly number[];
}

/** The words of one line, cut where it is too long to be written by hand. */
export function readWords(line: string): readonly string[] {
  return line.slice(0, MAX_LINE_LENGTH).match(wordPattern) ?? [];
}

/** The words of the lines that the hunks add or remove, texts in quotes included: keys are named there. */
export function readChangedWords(files: readonly ShownFile[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const { file, hunks } of files)
    for (const position of hunks)
      for (const line of file.hunks[position]?.lines ?? [])
        if (/^[+-]/.test(line)) for (const word of readWords(line.slice(1))) words.add(word);
  return words;
}

/** The lines of the new sides that hold each word. */
function findPlaces(files: readonly ShownFile[], words: ReadonlySet<string>): ReadonlyMap<string, readonly Place[]> {
  const places = new Map<string, Place[]>();
  for (const { at, file } of files)
    for (const [index, text] of readNewLines(file).entries()) {
      if (text.length > MAX_LINE_LENGTH) continue;
      for (const word of new Set(text.match(wordPattern))) {
        if (!words.has(word)) continue;
        const known = places.get(word);
        if (known === undefined) places.set(word, [{ file: at, line: index + 1 }]);
        else if (known.length <= MAX_LINES_OF_A_WORD) known.push({ file: at, line: index + 1 });
      }
    }
  return places;
}

/**
 * The places of those words that name something in particular: on few lines of the new sides, the
 * rarest first.
 */
export function findTellingPlaces(
  files: readonly ShownFile[],
  words: ReadonlySet<string>,
): readonly (readonly Place[])[] {
  return [...findPlaces(files, words)]
    .filter(([, places]) => places.length <= MAX_LINES_OF_A_WORD)
    .sort(([a, one], [b, other]) => one.length - other.length || (a < b ? -1 : 1))
    .slice(0, MAX_WORDS)
    .map(([, places]) => places);
}

/** Sections that bear one of the words as their name: what hunks call or use. */
function wishDefinitions(files: readonly ShownFile[], words: ReadonlySet<string>): readonly ContextWish[] {
  return files.flatMap(({ at, file }) =>
    (readOutline(file)?.sections ?? [])
      .filter(({ name }) => words.has(name.split(/[.:]+/).at(-1) ?? name))
      .map(({ startLine, bodyLine, endLine }): ContextWish => {
        const whole: LineRange = { startLine, endLine };
        const lastOfHead = Math.min(endLine, Math.max(bodyLine, startLine), startLine + MAX_HEAD_LINES - 1);
        const head: LineRange = { startLine, endLine: lastOfHead };
        const isShort = endLine - startLine < MAX_WHOLE_LINES;
        return { file: at, forms: isShort ? [[whole], [head]] : [[head]], isCounted: true };
      }),
  );
}

/** The files of a chunk, or of a share, whose new side the change holds whole. */
export function listShownFiles(change: RedactedChange, files: PromptChunk['files']): readonly ShownFile[] {
  return files.flatMap(({ file: at, hunks }): ShownFile[] => {
    const file = change.files[at];
    return file?.newText === undefined ? [] : [{ at, file, hunks }];
  });
}

/**
 * What words name in these files, the most telling first: the sections of that name, then the other
 * lines that hold a word of few lines, the rarest first.
 */
export function wishWords(files: readonly ShownFile[], words: ReadonlySet<string>): readonly ContextWish[] {
  const lines = findTellingPlaces(files, words).flatMap((places) =>
    places.map(({ file, line }): ContextWish => {
      const near = { startLine: Math.max(1, line - NEAR_LINES), endLine: line + NEAR_LINES };
      return { file, forms: [[near], [{ startLine: line, endLine: line }]], isCounted: false };
    }),
  );
  return [...wishDefinitions(files, words), ...lines];
}

/** What a chunk's changed lines name in the files of the chunk (`wishWords`). */
export function wishNamed(change: RedactedChange, chunk: Pick<PromptChunk, 'files'>): readonly ContextWish[] {
  const files = listShownFiles(change, chunk.files);
  return wishWords(files, readChangedWords(files));
}
