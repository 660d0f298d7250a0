import type { ChangeAction, FetchLimits, FetchRequest, FileSkip } from '@criticizer/core/ports';
import { foldAscii } from '../client/depot-path.js';
import type { DescribedFile } from '../client/describe.js';
import type { CaseHandling } from '../policy/allow-list.js';
import { type FileType, parseFileType } from './file-type.js';

/** What is to be done for one file of the change. */
export interface PlannedFile {
  file: DescribedFile;
  type: FileType;
  action: ChangeAction;
  oldPath: string | null;
  /** Operands of `print`; null for a side that does not exist or is not wanted. */
  oldSide: string | null;
  newSide: string | null;
  skipped: FileSkip | null;
  /** No model sees it: it is read for the scan for secrets, after the files of the review. */
  isScanOnly: boolean;
}

/** Where the new sides are: in submitted revisions, or in the shelf of this change. */
export type ContentPlace = { kind: 'submitted' } | { kind: 'shelved'; number: number };

export interface PlanFilesOptions {
  /** Default `sensitive`. */
  caseHandling?: CaseHandling | undefined;
  /** Of `FetchRequest`. */
  isScanOnly?: FetchRequest['isScanOnly'];
}

/**
 * Pairs moves, finds the two sides of each file and decides, before any content is asked for, which
 * files are not fetched. Files beyond `maxFiles` and `maxTotalBytes` are skipped for `budget`,
 * larger ones for `oversize`. Files for the scan alone take what the others leave of both limits;
 * the rest of them is `unscanned`. The plans keep the change's order.
 */
export function planFiles(
  files: readonly DescribedFile[],
  place: ContentPlace,
  limits: FetchLimits,
  { caseHandling = 'sensitive', isScanOnly = () => false }: PlanFilesOptions = {},
): PlannedFile[] {
  const planned = pairMoves(files, place, caseHandling).map((paired) =>
    planFile(paired, place, isScanOnly(paired.file.path)),
  );
  let fetched = 0;
  let bytes = 0;
  for (const plan of planned.toSorted(compareFetchOrder)) {
    if (plan.skipped !== null) continue;
    const size = plan.file.bytes ?? 0;
    // The size of the old side is known only when it comes; most edits leave it about the same.
    const both = plan.oldSide === null ? size : size * 2;
    if (size > limits.maxFileBytes) skip(plan, 'oversize');
    else if (fetched + 1 > limits.maxFiles || bytes + both > limits.maxTotalBytes) skipForBudget(plan);
    else {
      fetched += 1;
      bytes += both;
    }
  }
  return planned;
}

/** Orders plans as they are fetched: those for the scan alone come last, else the change's order holds. */
export function compareFetchOrder(one: PlannedFile, other: PlannedFile): number {
  return Number(one.isScanOnly) - Number(other.isScanOnly);
}

/** Marks a planned file as one that the limits of the fetch left no room for. */
export function skipForBudget(plan: PlannedFile): void {
  skip(plan, plan.isScanOnly ? 'unscanned' : 'budget');
}

/** Marks a planned file as not fetched. */
export function skip(plan: PlannedFile, reason: FileSkip): void {
  plan.skipped = reason;
  plan.oldSide = null;
  plan.newSide = null;
}

interface Paired {
  file: DescribedFile;
  movedFrom: { path: string; revision: number | null } | null;
}

/** A server that names no source is helped only where there is no doubt: one move/add and one move/delete left over. */
function pairMoves(files: readonly DescribedFile[], place: ContentPlace, caseHandling: CaseHandling): Paired[] {
  const fold = caseHandling === 'insensitive' ? foldAscii : (path: string): string => path;
  const deleted = new Map(files.filter((file) => file.action === 'move/delete').map((file) => [fold(file.path), file]));
  const added = files.filter((file) => file.action === 'move/add');
  const claimed = new Map<string, Paired['movedFrom']>();
  for (const file of added) {
    if (file.from === null) continue;
    claimed.set(file.path, file.from);
    deleted.delete(fold(file.from.path));
  }
  const open = added.filter((file) => !claimed.has(file.path));
  const [only, ...others] = deleted.values();
  if (open.length === 1 && open[0] !== undefined && only !== undefined && others.length === 0) {
    // A submitted deletion is a revision of its own; a shelved one names the revision that it deletes.
    const back = place.kind === 'submitted' ? 1 : 0;
    claimed.set(open[0].path, { path: only.path, revision: only.revision === null ? null : only.revision - back });
    deleted.delete(fold(only.path));
  }
  return files
    .filter((file) => file.action !== 'move/delete' || deleted.has(fold(file.path)))
    .map((file) => ({ file, movedFrom: claimed.get(file.path) ?? null }));
}

function planFile({ file, movedFrom }: Paired, place: ContentPlace, isScanOnly: boolean): PlannedFile {
  const type = parseFileType(file.fileType);
  const plan: PlannedFile = {
    file,
    type,
    action: publicAction(file, movedFrom !== null),
    oldPath: movedFrom?.path ?? file.from?.path ?? null,
    oldSide: oldSide(file, movedFrom, place),
    newSide: place.kind === 'shelved' ? `${file.path}@=${place.number}` : revision(file.path, file.revision),
    skipped: null,
    isScanOnly,
  };
  const reason = skipReason(file, type);
  if (reason !== null) skip(plan, reason);
  else if (plan.newSide === null) skip(plan, 'error');
  return plan;
}

function publicAction(file: DescribedFile, moved: boolean): ChangeAction {
  if (file.action === 'move/add') return moved ? 'move' : 'add';
  return file.action === 'move/delete' ? 'delete' : file.action;
}

function oldSide(file: DescribedFile, movedFrom: Paired['movedFrom'], place: ContentPlace): string | null {
  if (movedFrom !== null) return revision(movedFrom.path, movedFrom.revision);
  if (file.action !== 'edit' && file.action !== 'integrate') return null;
  if (place.kind === 'shelved') return revision(file.path, file.revision);
  return file.revision === null ? null : revision(file.path, file.revision - 1);
}

function revision(path: string, number: number | null): string | null {
  return number === null || number < 1 ? null : `${path}#${number}`;
}

function skipReason(file: DescribedFile, type: FileType): FileSkip | null {
  if (file.action === 'delete' || file.action === 'move/delete') return 'deleted';
  if (file.action === 'purge' || file.action === 'archive') return 'purged';
  if (file.isTakenOver === true) return 'integrated';
  if (type.content === 'binary' || type.content === 'symlink') return type.content;
  if (file.unaskable !== undefined) return 'bad_path';
  return null;
}
