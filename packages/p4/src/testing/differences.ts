import { Buffer } from 'node:buffer';
import { buildHunks } from '../fetch/hunks.js';

/** The differences of two texts as servers send them: unified for the flag `u`, else in the form of plain `diff`. */
export function textDifferences(before: Buffer, after: Buffer, flags: string): Buffer {
  const unified = flags.startsWith('u');
  const { hunks } = buildHunks(before.toString('utf8'), after.toString('utf8'), { contextLines: unified ? 3 : 0 });
  return Buffer.from(hunks.map(unified ? unifiedHunk : plainHunk).join(''));
}

type TextHunk = ReturnType<typeof buildHunks>['hunks'][number];

function unifiedHunk({ oldStart, oldLines, newStart, newLines, lines }: TextHunk): string {
  return [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines, ''].join('\n');
}

function plainHunk({ oldStart, oldLines, newStart, newLines, lines }: TextHunk): string {
  const range = (start: number, count: number): string => (count > 1 ? `${start},${start + count - 1}` : String(start));
  const verb = oldLines === 0 ? 'a' : newLines === 0 ? 'd' : 'c';
  const marked = (mark: string, shown: string): string[] =>
    lines.filter((line) => line.startsWith(mark)).map((line) => `${shown} ${line.slice(1)}`);
  const separator = verb === 'c' ? ['---'] : [];
  return [
    `${range(oldStart, oldLines)}${verb}${range(newStart, newLines)}`,
    ...marked('-', '<'),
    ...separator,
    ...marked('+', '>'),
    '',
  ].join('\n');
}
