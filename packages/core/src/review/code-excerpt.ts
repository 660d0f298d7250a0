import type { RedactedFile } from '../changes/redacted-change.js';
import type { FindingPlace } from './merge/place-findings.js';

/** One line of an excerpt; redacted, untrusted. */
export interface ExcerptLine {
  /** On the new side, 1-based. */
  line: number;
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

/** The text of the new side at each wanted line: from the hunks, else from the whole text. */
function readLines({ hunks, newText }: Pick<RedactedFile, 'hunks' | 'newText'>, from: number, to: number) {
  const texts = new Map<number, string>();
  for (const { newStart, newLines, lines } of hunks) {
    if (newStart > to || newStart + newLines <= from) continue;
    let line = newStart;
    for (const marked of lines) {
      if (marked.startsWith('-') || marked.startsWith('\\')) continue;
      if (line >= from && line <= to) texts.set(line, marked.slice(1));
      line += 1;
    }
  }
  const whole = newText?.split('\n') ?? [];
  // What follows the last line break is no line.
  if (whole.at(-1) === '') whole.pop();
  for (let line = from; line <= Math.min(to, whole.length); line += 1)
    if (!texts.has(line)) texts.set(line, whole[line - 1] ?? '');
  return texts;
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
  const texts = readLines(file, from, to);
  const lines = [...texts].sort(([a], [b]) => a - b);
  if (!lines.some(([at]) => at >= line && at <= last)) return [];
  return lines.map(([at, text]) => ({
    line: at,
    text: shorten(text.replace(/\r$/, '')),
    isCited: at >= line && at <= last,
  }));
}
