import type { Hunk } from '../changes/change.js';
import type { RedactedFile } from '../changes/redacted-change.js';
import { readHeading } from './context/file-sections.js';
import { sliceLines } from './new-side-lines.js';
import type { LineRange } from './prompt-chunk.js';
import type { PromptWords } from './prompt-variant.js';
import { renderContextLines, renderHunk } from './render-diff.js';

/** One hunk as the template shows it: with its heading where it shows more than hunks. */
export function renderFileHunk(file: RedactedFile, position: number, template: PromptWords): string {
  const hunk = file.hunks[position];
  if (hunk === undefined) throw new TypeError('renderFileHunk: expected a hunk of this file');
  const heading = template.context === undefined ? undefined : readHeading(file, hunk);
  return renderHunk(hunk, { position, total: file.hunks.length, heading });
}

/** Lines of a file of the change that are outside its hunks. */
export function renderOwnLines(file: RedactedFile, range: LineRange): string {
  return renderContextLines(sliceLines(file, range), range.startLine, 'new lines');
}

/** A hunk without a new line is between two lines of the new side. */
function placeOf({ newStart, newLines }: Hunk): number {
  return newLines === 0 ? newStart + 0.5 : newStart;
}

/** Hunks and the lines round them, in the order of the new side. */
export function renderFileBody(
  file: RedactedFile,
  shown: { hunks: readonly number[]; ranges: readonly LineRange[] },
  template: PromptWords,
): string {
  const hunks = shown.hunks.map((at) => {
    const hunk = file.hunks[at] as Hunk;
    return { at: placeOf(hunk), text: renderFileHunk(file, at, template) };
  });
  const ranges = shown.ranges.map((range) => ({ at: range.startLine, text: renderOwnLines(file, range) }));
  return [...hunks, ...ranges]
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text)
    .join('');
}
