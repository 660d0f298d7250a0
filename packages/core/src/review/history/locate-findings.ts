import type { RedactedChange, RedactedFile } from '../../changes/redacted-change.js';
import { type NewSide, newSideOf, newSideOfText } from '../merge/anchors.js';
import { type FindingIdentity, findLines, type IdentifiedLine } from '../merge/identity.js';
import type { FindingPlace } from '../merge/place-findings.js';
import type { OpenFinding } from './open-finding.js';
import { createReadBeforeLines, type HunksBefore } from './read-before-lines.js';

/**
 * Where an earlier finding is in the present change. `here`: its file was changed and has text; its
 * line is null where it is about the file, or is not found again for certain. `isUntouched`: line
 * and neighbours are as they were. `change`: it is about the description, the user or a job.
 */
export type Whereabouts =
  | { kind: 'here'; file: string; line: number | null; isUntouched: boolean }
  | { kind: 'change' }
  | { kind: 'deleted' | 'left' | 'unread' };

/** By path of an earlier review, the present path of a file that was moved since that review. */
export type Renames = ReadonlyMap<string, string>;

/**
 * The renames since an earlier review that had `files`. A move to a path that it had is no later one:
 * what it calls by the first path is another file. A branch leaves the first where it is.
 */
export function listRenames(
  { files }: Pick<RedactedChange, 'files'>,
  earlier: { files: readonly { path: string }[] },
): Renames {
  const known = new Set(earlier.files.map(({ path }) => path));
  return new Map(
    files.flatMap(({ path, oldPath, action }): [string, string][] =>
      action !== 'move' || oldPath === null || known.has(path) ? [] : [[oldPath, path]],
    ),
  );
}

function readSide({ newText, hunks }: RedactedFile): NewSide {
  return newText === undefined ? newSideOf(hunks) : newSideOfText(newText);
}

/**
 * The one that fits best; undefined where two fit alike. Of those with the same neighbours the ones
 * that were not read again come first: nothing can be said of them, so a wrong choice resolves nothing.
 */
function choose(
  identity: FindingIdentity,
  lines: readonly IdentifiedLine[],
  isReadBefore: (line: number) => boolean,
): IdentifiedLine | undefined {
  const [only, second] = lines;
  if (second === undefined) return only;
  const inPlace = lines.filter((one) => one.identity.neighbours === identity.neighbours);
  const before = inPlace.filter(({ line }) => isReadBefore(line));
  if (before.length > 0) return before[Math.min(identity.occurrence, before.length - 1)];
  if (inPlace.length > 0) return inPlace[inPlace.length === 1 ? 0 : identity.occurrence];
  const adjacent = lines.filter(
    ({ identity: { before, after } }) =>
      (identity.before != null && before === identity.before) || (identity.after != null && after === identity.after),
  );
  return adjacent.length === 1 ? adjacent[0] : undefined;
}

/** Which line of the earlier text it was, as far as its identity says. */
const originOf = ({ neighbours, occurrence }: FindingIdentity): string => JSON.stringify([neighbours, occurrence]);

/**
 * Findings of two earlier lines alike are not both where one of them is left: the one that is as it
 * was stays, else the first. Findings of one line stay together.
 */
function keepApart(
  findings: readonly Pick<OpenFinding, 'identity'>[],
  places: readonly Whereabouts[],
): readonly Whereabouts[] {
  const owners = new Map<string, { origin: string; isUntouched: boolean }>();
  const lineOf = (place: Whereabouts): string | null =>
    place.kind === 'here' && place.line !== null ? JSON.stringify([place.file, place.line]) : null;
  const each = places.map((place, at) => {
    const identity = findings[at]?.identity;
    const isUntouched = place.kind === 'here' && place.isUntouched;
    return { place, line: lineOf(place), origin: identity === undefined ? '' : originOf(identity), isUntouched };
  });
  for (const { line, origin, isUntouched } of each) {
    const owner = line === null ? undefined : owners.get(line);
    if (line !== null && (owner === undefined || (isUntouched && !owner.isUntouched)))
      owners.set(line, { origin, isUntouched });
  }
  return each.map(({ place, line, origin }) =>
    place.kind !== 'here' || line === null || owners.get(line)?.origin === origin
      ? place
      : { ...place, line: null, isUntouched: false },
  );
}

function explainAbsent(file: RedactedFile | undefined): Whereabouts {
  // A file that is as it was before the change is no part of it.
  if (file === undefined || file.skipped === 'unchanged') return { kind: 'left' };
  return { kind: file.action === 'delete' || file.skipped === 'deleted' ? 'deleted' : 'unread' };
}

/**
 * Finds where earlier findings are now, by the digests of their lines and never by line number
 * (GRD-6). One for each of `findings`, in their order. Linear in the text of their files.
 */
export function locateFindings(
  findings: readonly Pick<OpenFinding, 'file' | 'identity'>[],
  change: Pick<RedactedChange, 'files'>,
  { renames, readBefore }: { renames: Renames; readBefore: HunksBefore },
): readonly Whereabouts[] {
  const files = new Map(change.files.map((file) => [file.path, file]));
  const readBeforeLines = createReadBeforeLines(change, readBefore);
  const nameNow = (path: string): string => renames.get(path) ?? path;
  const wanted = new Map<string, Set<string>>();
  for (const { file, identity } of findings) {
    if (file === null || identity.line === null) continue;
    const name = nameNow(file);
    wanted.set(name, (wanted.get(name) ?? new Set()).add(identity.line));
  }
  const found = new Map<string, ReadonlyMap<string, readonly IdentifiedLine[]>>();
  const linesOf = (file: RedactedFile): ReadonlyMap<string, readonly IdentifiedLine[]> => {
    const lines = found.get(file.path) ?? findLines(readSide(file), wanted.get(file.path) ?? new Set());
    found.set(file.path, lines);
    return lines;
  };
  const places = findings.map(({ file: path, identity }): Whereabouts => {
    if (path === null) return { kind: 'change' };
    const file = files.get(nameNow(path));
    if (file === undefined || file.skipped !== null || file.hunks.length === 0) return explainAbsent(file);
    const alike = identity.line === null ? [] : (linesOf(file).get(identity.line) ?? []);
    const line = choose(identity, alike, (one) => readBeforeLines(file.path, one));
    const isUntouched = line !== undefined && line.identity.neighbours === identity.neighbours;
    return { kind: 'here', file: file.path, line: line?.line ?? null, isUntouched };
  });
  return keepApart(findings, places);
}

/** The place of an earlier finding in the present file; the whole file where its line is not found again. */
export function placeNow(
  { place: { line, endLine } }: Pick<OpenFinding, 'place'>,
  now: { line: number | null },
): FindingPlace {
  if (now.line === null) return { line: null, endLine: null, status: 'file' };
  return {
    line: now.line,
    endLine: line === null || endLine === null ? null : endLine - line + now.line,
    status: now.line === line ? 'exact' : 'moved',
  };
}
