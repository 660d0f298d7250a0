import type { RedactedChange } from '../../changes/redacted-change.js';
import type { Whereabouts } from './locate-findings.js';
import type { OpenFinding } from './open-finding.js';
import { type HunksBefore, listHunksAt } from './read-before-lines.js';

/**
 * True where a finding about a line is in a file of the change that has that line no more: what the
 * finding is about was edited, moved or taken back, and only another reading of the file can tell.
 */
export function hasLostLine({ identity }: Pick<OpenFinding, 'identity'>, place: Whereabouts | undefined): boolean {
  return place?.kind === 'here' && place.line === null && identity.line !== null;
}

/**
 * Which open findings of the model are where nothing was read again, so that they are as they were
 * (GRD-6): in such a hunk, or, for one about the whole file or about a line outside every hunk, in a
 * file of which all hunks are such. Gives places in `open`.
 */
export function listAsBefore(
  open: readonly Pick<OpenFinding, 'origin' | 'identity'>[],
  places: readonly Whereabouts[],
  { files }: Pick<RedactedChange, 'files'>,
  readBefore: HunksBefore,
): ReadonlySet<number> {
  const byPath = new Map(files.map((file, at) => [file.path, { file, before: readBefore.get(at) }]));
  const isAsBefore = (finding: Pick<OpenFinding, 'identity'>, place: Whereabouts | undefined): boolean => {
    if (place?.kind !== 'here' || hasLostLine(finding, place)) return false;
    const { file, before } = byPath.get(place.file) ?? {};
    if (file === undefined || before === undefined) return false;
    const own = place.line === null ? [] : listHunksAt(file, place.line);
    return own.length > 0 ? own.every((hunk) => before.has(hunk)) : before.size === file.hunks.length;
  };
  return new Set(
    open.flatMap((finding, at) => (finding.origin === 'model' && isAsBefore(finding, places[at]) ? [at] : [])),
  );
}
