import type { Hunk } from '../../changes/change.js';
import type { RedactedFile } from '../../changes/redacted-change.js';
import { enclosing, headingOf } from '../../outline/find-section.js';
import { languageOf } from '../../outline/language.js';
import { outline } from '../../outline/outline.js';
import type { Outline, Section } from '../../outline/section.js';
import { readNewLines } from '../new-side-lines.js';
import type { LineRange } from '../prompt-chunk.js';

const outlines = new WeakMap<RedactedFile, { outline: Outline | undefined }>();

/** The outline of a file's new side; undefined where the change does not hold it whole, or its language has none. */
export function readOutline(file: RedactedFile): Outline | undefined {
  const known = outlines.get(file);
  if (known !== undefined) return known.outline;
  const language = languageOf(file.displayPath ?? file.path);
  const made = file.newText === undefined || language === undefined ? undefined : outline(file.newText, language);
  outlines.set(file, { outline: made });
  return made;
}

/** The sections that hold these lines of the new side, the innermost first; none where the outline is not known. */
export function listEnclosing(file: RedactedFile, { startLine, endLine }: LineRange): readonly Section[] {
  const sections = readOutline(file)?.sections ?? [];
  return sections
    .filter((section) => section.startLine <= startLine && section.endLine >= endLine)
    .sort((a, b) => a.endLine - a.startLine - (b.endLine - b.startLine));
}

/**
 * The lines of the new side that a hunk changes, in runs: its new lines, and the two lines between
 * which old ones were. The unchanged lines round them often belong to the next section.
 */
export function listChangedRanges({ newStart, lines }: Hunk): readonly LineRange[] {
  const runs: { startLine: number; endLine: number }[] = [];
  let next = newStart;
  for (const marked of lines) {
    if (marked.startsWith('\\')) continue;
    const [isOld, isNew] = [marked.startsWith('-'), marked.startsWith('+')];
    const [startLine, endLine] = isOld ? [Math.max(1, next - 1), next] : [next, next];
    const last = runs.at(-1);
    if (isOld || isNew) {
      if (last !== undefined && startLine <= last.endLine + 1) last.endLine = Math.max(last.endLine, endLine);
      else runs.push({ startLine, endLine });
    }
    if (!isOld) next += 1;
  }
  return runs;
}

/** What encloses changed lines: the innermost section that holds them all, or those of both ends. */
function findSections(known: Outline, { startLine, endLine }: LineRange): readonly Section[] {
  const whole = enclosing(known, startLine, endLine);
  if (whole !== undefined) return [whole];
  const ends = [enclosing(known, startLine, startLine), enclosing(known, endLine, endLine)];
  return ends.filter((section) => section !== undefined);
}

/** Changed lines, and the section that they are in; null where none is known. */
export interface ChangedLines {
  range: LineRange;
  section: Section | null;
}

/** Every run of lines that a hunk changes, with each section that it is in. */
export function listChangedSections(file: RedactedFile, hunk: Hunk): readonly ChangedLines[] {
  const known = readOutline(file);
  const last = readNewLines(file).length;
  return listChangedRanges(hunk).flatMap((range): ChangedLines[] => {
    const within = { startLine: Math.min(range.startLine, last), endLine: Math.min(range.endLine, last) };
    const sections = known === undefined || last === 0 ? [] : findSections(known, within);
    return sections.length === 0 ? [{ range, section: null }] : sections.map((section) => ({ range, section }));
  });
}

/** The heading of the section that a hunk changes first; the fetcher's where the outline knows none. */
export function readHeading(file: RedactedFile, hunk: Hunk): string | undefined {
  const section = listChangedSections(file, hunk).find((one) => one.section !== null)?.section;
  return section === undefined || section === null ? hunk.section : headingOf(section);
}
