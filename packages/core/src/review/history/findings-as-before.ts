import type { RedactedChange, RedactedFile } from '../../changes/redacted-change.js';
import type { Whereabouts } from './locate-findings.js';
import type { OpenFinding } from './open-finding.js';

/** By file and hunk, what an earlier review read and this one did not read again. */
type ReadBefore = ReadonlyMap<number, Pick<ReadonlyMap<number, number>, 'has' | 'size'>>;

/** Hunks of a file whose new side has the line. */
function listHunksAt({ hunks }: RedactedFile, line: number): readonly number[] {
  return hunks.flatMap(({ newStart, newLines }, at) => (line >= newStart && line < newStart + newLines ? [at] : []));
}

/**
 * Which open findings of the model are where nothing was read again, so that they are as they were
 * (GRD-6): in such a hunk, or in a file of which all hunks are such. Gives places in `open`.
 */
export function listAsBefore(
  open: readonly Pick<OpenFinding, 'origin'>[],
  places: readonly Whereabouts[],
  { files }: Pick<RedactedChange, 'files'>,
  readBefore: ReadBefore,
): ReadonlySet<number> {
  const byPath = new Map(files.map((file, at) => [file.path, { file, before: readBefore.get(at) }]));
  const isAsBefore = (place: Whereabouts | undefined): boolean => {
    if (place?.kind !== 'here') return false;
    const { file, before } = byPath.get(place.file) ?? {};
    if (file === undefined || before === undefined) return false;
    const own = place.line === null ? [] : listHunksAt(file, place.line);
    return own.length > 0 ? own.every((hunk) => before.has(hunk)) : before.size === file.hunks.length;
  };
  return new Set(open.flatMap(({ origin }, at) => (origin === 'model' && isAsBefore(places[at]) ? [at] : [])));
}
