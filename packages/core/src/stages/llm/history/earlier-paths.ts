import type { HiddenPath } from '../../../changes/redacted-change.js';
import type { TruePaths } from '../../job/change-snapshot.js';
import { restorePaths } from '../../job/true-paths.js';
import type { ReviewRecord } from '../stored-review.js';

/** The names by which the present change calls its files: depot paths, or aliases (ruling R15). */
export interface PresentNames {
  /** By true path; of a file that came from another path, both. */
  readonly names: ReadonlyMap<string, string>;
  /** Redacts a path that the present change does not have. */
  redact(path: string): string;
}

/** By true path, the name that the redacted change has for it. */
export function listPresentNames(
  files: readonly { path: string; oldPath: string | null }[],
  truePaths: readonly TruePaths[],
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [at, { path, oldPath }] of files.entries()) {
    const known = truePaths[at];
    if (known === undefined) continue;
    if (known.oldPath !== null && oldPath !== null && !names.has(known.oldPath)) names.set(known.oldPath, oldPath);
    names.set(known.path, path);
  }
  return names;
}

/** For each alias of the earlier change: the present name of its file, or its redacted path. */
function listReplacements(
  hiddenPaths: readonly HiddenPath[],
  truePaths: readonly TruePaths[] | null,
  { names }: PresentNames,
): readonly TruePaths[] {
  const replaced: TruePaths[] = [];
  for (const { file, side, shown } of hiddenPaths) {
    const known = truePaths?.[file]?.[side];
    const name = (known === undefined || known === null ? undefined : names.get(known)) ?? shown;
    replaced[file] = { path: shown, oldPath: null, ...replaced[file], [side]: name };
  }
  return replaced;
}

/**
 * An earlier review in the present change's names: an alias of its own change may name another
 * file in this one. Files that the present change does not have keep their redacted path, or get
 * one. `truePaths` of the earlier change; null: they cannot be read any more.
 */
export function translatePaths(
  record: ReviewRecord,
  truePaths: readonly TruePaths[] | null,
  present: PresentNames,
): ReviewRecord {
  const replacements = listReplacements(record.hiddenPaths, truePaths, present);
  const restored = record.hiddenPaths.length === 0 ? record : restorePaths(record, replacements);
  const known = new Set(present.names.values());
  const nameOf = (file: string): string => {
    if (known.has(file)) return file;
    return present.names.get(file) ?? present.redact(file);
  };
  const rename = <One extends { file: string | null }>(one: One): One =>
    one.file === null ? one : { ...one, file: nameOf(one.file) };
  return {
    ...restored,
    findings: restored.findings.map(rename),
    secretFindings: restored.secretFindings.map(rename),
    droppedByCheck: restored.droppedByCheck.map(rename),
    earlier: restored.earlier.map(rename),
    suppressed: restored.suppressed.map(rename),
    reading: restored.reading.map(rename),
    coverage: {
      ...restored.coverage,
      files: restored.coverage.files.map((file) => ({ ...file, path: nameOf(file.path) })),
    },
  };
}
