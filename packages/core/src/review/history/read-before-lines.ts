import type { RedactedChange, RedactedFile } from '../../changes/redacted-change.js';

/** By file and hunk, what an earlier review read and this one does not read again. */
export type HunksBefore = ReadonlyMap<number, Pick<ReadonlyMap<number, number>, 'has' | 'size'>>;

/** Hunks of a file whose new side has the line. */
export function listHunksAt({ hunks }: Pick<RedactedFile, 'hunks'>, line: number): readonly number[] {
  return hunks.flatMap(({ newStart, newLines }, at) => (line >= newStart && line < newStart + newLines ? [at] : []));
}

/** Says whether a line of a file is in a hunk that is not read again. */
export function createReadBeforeLines(
  { files }: Pick<RedactedChange, 'files'>,
  readBefore: HunksBefore,
): (path: string, line: number) => boolean {
  const byPath = new Map(files.map((file, at) => [file.path, { file, before: readBefore.get(at) }]));
  return (path, line) => {
    const { file, before } = byPath.get(path) ?? {};
    return file !== undefined && before !== undefined && listHunksAt(file, line).some((hunk) => before.has(hunk));
  };
}
