import type { RedactedFile } from '../changes/redacted-change.js';
import type { FindingPlace } from './merge/place-findings.js';

/** One line of an excerpt; redacted, untrusted. */
export interface ExcerptLine {
  /** On the new side, 1-based. */
  line: number;
  /** The same line before the change; null: the change added it. Left out: not known. */
  oldLine?: number | null | undefined;
  text: string;
  /** True for the lines that the finding is about. */
  isCited: boolean;
}

/** The redacted code round the place of a finding, by line, ascending; a gap may be between two lines. */
export type CodeExcerpt = readonly ExcerptLine[];

/** Lines shown before the first and after the last cited line. */
const AROUND = 3;
/** Lines of one excerpt; of a longer range its first lines are shown. */
const MAX_LINES = 12;
/** Characters of one line. */
const MAX_CHARS = 240;

function shorten(text: string): string {
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

type SourceLine = Pick<ExcerptLine, 'oldLine' | 'text'>;

/** How far the lines after each hunk moved; lines before the first one did not. */
function shiftAt(hunks: RedactedFile['hunks'], line: number): number {
  // A hunk without a new side comes after its line, any other begins at it.
  const ended = hunks.filter(({ newStart, newLines }) => newStart + Math.max(newLines, 1) <= line);
  return ended.reduce((shift, { oldLines, newLines }) => shift + oldLines - newLines, 0);
}

/** Each wanted line of the new side: from the hunks, else from the whole text. */
function readLines({ hunks, newText }: Pick<RedactedFile, 'hunks' | 'newText'>, from: number, to: number) {
  const found = new Map<number, SourceLine>();
  for (const { oldStart, newStart, newLines, lines } of hunks) {
    if (newStart > to || newStart + newLines <= from) continue;
    let line = newStart;
    let oldLine = oldStart;
    for (const marked of lines) {
      if (marked.startsWith('\\')) continue;
      if (marked.startsWith('-')) {
        oldLine += 1;
        continue;
      }
      const isNew = marked.startsWith('+');
      if (line >= from && line <= to) found.set(line, { oldLine: isNew ? null : oldLine, text: marked.slice(1) });
      line += 1;
      if (!isNew) oldLine += 1;
    }
  }
  const whole = newText?.split('\n') ?? [];
  // What follows the last line break is no line.
  if (whole.at(-1) === '') whole.pop();
  for (let line = from; line <= Math.min(to, whole.length); line += 1)
    if (!found.has(line)) found.set(line, { oldLine: line + shiftAt(hunks, line), text: whole[line - 1] ?? '' });
  return found;
}

/**
 * The code round `place`: 3 lines before and after, at most 12 lines of at most 240 characters. From
 * the redacted snapshot alone, so that it holds what the model may see and no more. Empty where the
 * finding has no line, or the file no text there. Pure.
 */
export function cutExcerpt(
  file: Pick<RedactedFile, 'hunks' | 'newText'>,
  { line, endLine }: FindingPlace,
): CodeExcerpt {
  if (line === null) return [];
  const last = Math.max(line, endLine ?? line);
  const from = Math.max(1, line - AROUND);
  const to = Math.min(last + AROUND, from + MAX_LINES - 1);
  const lines = [...readLines(file, from, to)].sort(([a], [b]) => a - b);
  if (!lines.some(([at]) => at >= line && at <= last)) return [];
  return lines.map(([at, { oldLine, text }]) => ({
    line: at,
    oldLine,
    text: shorten(text.replace(/\r$/, '')),
    isCited: at >= line && at <= last,
  }));
}
