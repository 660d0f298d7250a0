import type { ChangedFile, Hunk } from '../../../changes/change.js';
import type { Language } from '../../../outline/language.js';
import type { Outline } from '../../../outline/section.js';
import { outlineOf, readableLanguageOf } from './read-outlines.js';

/** The text of a file before or after a change, and what it declares. */
export interface FileSide {
  lines: readonly string[];
  outline: Outline;
}

/** Which lines of each side one hunk changes, 1-based and ascending; lines that only move are left out. */
export interface HunkLines {
  removed: readonly number[];
  added: readonly number[];
  /** Lines of the new side that hold the change: the new lines, and what follows removed ones. */
  touched: readonly number[];
}

/** A changed file with both sides. */
export interface FileSides {
  language: Language;
  old: FileSide;
  new: FileSide;
  hunks: readonly HunkLines[];
}

const unmarked = (lines: readonly string[], mark: string): readonly string[] =>
  lines.flatMap((line) => (line.startsWith(mark) || line.startsWith('\\') ? [] : [line.slice(1)]));

/** Lines between two hunks, then the lines of the next hunk, as each side has them. */
interface Part {
  before: readonly string[];
  hunk: Hunk | null;
}

/** The whole new side in parts; hunks alone where the new side is not known. */
function splitIntoParts({ newText, hunks }: Pick<ChangedFile, 'newText' | 'hunks'>): readonly Part[] {
  if (newText === undefined) return hunks.map((hunk) => ({ before: [], hunk }));
  const lines = newText.split(/\r?\n/);
  let at = 0;
  const parts = hunks.map((hunk): Part => {
    const start = hunk.newLines === 0 ? hunk.newStart : hunk.newStart - 1;
    const before = lines.slice(at, Math.max(at, start));
    at = Math.max(at, start + hunk.newLines);
    return { before, hunk };
  });
  return [...parts, { before: lines.slice(at), hunk: null }];
}

/** A stretch of so many lines that one hunk removes and another adds is moved, and changes nothing. */
const MIN_MOVED_LINES = 3;

/** The hunks in which each text is marked so. */
function findMarked(hunks: readonly Hunk[], mark: string): ReadonlyMap<string, ReadonlySet<number>> {
  const places = new Map<string, Set<number>>();
  for (const [at, { lines }] of hunks.entries()) {
    for (const line of lines) {
      if (!line.startsWith(mark)) continue;
      const text = line.slice(1).trim();
      places.set(text, (places.get(text) ?? new Set()).add(at));
    }
  }
  return places;
}

/** By hunk, the places of its lines that another hunk has with the other mark, in stretches. */
function findMoved(hunks: readonly Hunk[]): readonly ReadonlySet<number>[] {
  const marked = new Map(['+', '-'].map((mark) => [mark, findMarked(hunks, mark)]));
  const other = new Map([...'+-'].map((mark) => [mark, marked.get(mark === '+' ? '-' : '+')]));
  return hunks.map(({ lines }, hunk) => {
    const moved = new Set<number>();
    let stretch: number[] = [];
    for (const [at, line] of [...lines, ''].entries()) {
      const there = other.get(line.slice(0, 1))?.get(line.slice(1).trim());
      const isMoved = there !== undefined && !there.has(hunk);
      const goesOn = isMoved && (stretch.length === 0 || lines[at - 1]?.[0] === line[0]);
      if (!goesOn && stretch.length >= MIN_MOVED_LINES) for (const one of stretch) moved.add(one);
      if (goesOn) stretch.push(at);
      else stretch = isMoved ? [at] : [];
    }
    return moved;
  });
}

/** Numbers the lines that a hunk changes, from the first line of the hunk on each side. */
function numberLines({ lines }: Hunk, moved: ReadonlySet<number>, first: { old: number; new: number }): HunkLines {
  const [removed, added] = [[] as number[], [] as number[]];
  const touched = new Set<number>();
  let [oldAt, newAt] = [first.old, first.new];
  for (const [at, line] of lines.entries()) {
    const mark = line.slice(0, 1);
    if (mark === '-' && !moved.has(at)) removed.push(oldAt);
    if (mark === '+' && !moved.has(at)) added.push(newAt);
    if ((mark === '+' || mark === '-') && !moved.has(at)) touched.add(newAt);
    if (mark !== '+' && mark !== '\\') oldAt += 1;
    if (mark !== '-' && mark !== '\\') newAt += 1;
  }
  return { removed, added, touched: [...touched] };
}

/** Both sides of a changed file: the old one is the new one with its hunks taken back. */
export function readSides(file: Pick<ChangedFile, 'path' | 'newText' | 'hunks'>): FileSides {
  const language = readableLanguageOf(file.path);
  const [oldParts, newParts, hunks] = [[] as (readonly string[])[], [] as (readonly string[])[], [] as HunkLines[]];
  const moved = findMoved(file.hunks);
  let [oldCount, newCount] = [0, 0];
  for (const { before, hunk } of splitIntoParts(file)) {
    const [oldLines, newLines] = [unmarked(hunk?.lines ?? [], '+'), unmarked(hunk?.lines ?? [], '-')];
    const first = { old: oldCount + before.length + 1, new: newCount + before.length + 1 };
    if (hunk !== null) hunks.push(numberLines(hunk, moved[hunks.length] ?? new Set(), first));
    oldParts.push(before, oldLines);
    newParts.push(before, newLines);
    oldCount += before.length + oldLines.length;
    newCount += before.length + newLines.length;
  }
  const toSide = (parts: readonly (readonly string[])[]): FileSide => {
    const lines = parts.flat();
    return { lines, outline: outlineOf(lines.join('\n'), file.path) };
  };
  return { language, old: toSide(oldParts), new: toSide(newParts), hunks };
}
