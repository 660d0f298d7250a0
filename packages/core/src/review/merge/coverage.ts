import type { FileSkip } from '../../changes/change.js';

/** How one chunk's reply ended for coverage: read whole, cut short, or not read at all. */
export type ChunkOutcome = 'read' | 'cut' | 'failed';

/** How much of what was to explain a file's hunks one chunk showed: sections, and what was found beyond. */
export interface CoveredContext {
  file: number;
  wanted: number;
  whole: number;
  cut: number;
}

/** One chunk of the plan and what became of it. Files and hunks by their place in the change. */
export interface CoveredChunk {
  files: readonly { file: number; hunks: readonly number[] }[];
  outcome: ChunkOutcome;
  /** Left out: no context was asked for. */
  context?: readonly CoveredContext[] | undefined;
}

/** Why part of a file was not reviewed: no room in the plan, the reply was cut, or there was no usable reply. */
export type PartialReason = 'budget' | 'truncated' | 'error';

/** Why hunks are in no chunk: no room in the plan or in a budget, or there is no model at all. */
export type UnsentReason = 'budget' | 'no_model';

/**
 * What the model saw round the hunks of a file (GRD-3): pieces that would explain them, those that it
 * saw whole, and those that it saw in part. `full`: all whole; `none`: not one, not even in part.
 */
export interface FileContext {
  state: 'full' | 'partial' | 'none';
  wanted: number;
  whole: number;
  cut: number;
}

/** Hunks of a file that the review of an earlier version read, as they still are. Keys are the wire's. */
export interface HunksReadBefore {
  review_version: number;
  hunks: number;
}

/**
 * One file's line in the ledger, in exactly one state. Keys are the wire's. `hunks` are all of it, and
 * those in `read_before` count as reviewed (left out: none). `context` says nothing of
 * the state: a file of which every hunk was read is reviewed in full. Left out where no context was
 * asked for or there was none to show, and in reviews that an earlier version stored.
 */
export type FileCoverage =
  | {
      path: string;
      state: 'reviewed_full';
      hunks: number;
      read_before?: readonly HunksReadBefore[];
      context?: FileContext;
    }
  | {
      path: string;
      state: 'reviewed_partial';
      hunks: number;
      hunks_reviewed: number;
      reasons: readonly PartialReason[];
      read_before?: readonly HunksReadBefore[];
      context?: FileContext;
    }
  | { path: string; state: 'skipped'; reason: FileSkip };

/** Which part of a change a review speaks about; stands in `meta.coverage` (ruling R7). Keys are the wire's. */
export interface Coverage {
  files: readonly FileCoverage[];
  totals: { files: number; reviewed_full: number; reviewed_partial: number; skipped: number };
  /** Files the reviewer may not even know of: hidden by the server, or denied by the allow-list. */
  denied_files: number;
  visibility: 'complete' | 'partial-possible';
  /**
   * Every file was reviewed in full or had nothing to review, and at least one was reviewed. Only
   * then may a review be clean (OUT-9).
   */
  complete: boolean;
}

/** The parts of a change coverage needs; a redacted change fits. */
export interface CoverableChange {
  files: readonly { path: string; skipped: FileSkip | null; hunks: readonly unknown[] }[];
  visibility: 'complete' | 'partial-possible';
  deniedFiles: number;
}

/** Skips that leave nothing on the new side to review. */
const NOTHING_TO_REVIEW: ReadonlySet<FileSkip> = new Set(['deleted', 'unchanged']);
const RANK: Readonly<Record<ChunkOutcome, number>> = { failed: 1, cut: 2, read: 3 };

/** True for a file that leaves nothing unread though it was skipped: it has no new side, or no change in it. */
export function hasNothingToReview(file: FileCoverage): boolean {
  return file.state === 'skipped' && NOTHING_TO_REVIEW.has(file.reason);
}

/** The best that happened to each hunk of each file: `file:hunk` to outcome. */
function outcomesOf(chunks: readonly CoveredChunk[]): ReadonlyMap<string, ChunkOutcome> {
  const best = new Map<string, ChunkOutcome>();
  for (const { files, outcome } of chunks) {
    for (const { file, hunks } of files) {
      for (const hunk of hunks) {
        const key = `${file}:${hunk}`;
        const known = best.get(key);
        if (known === undefined || RANK[outcome] > RANK[known]) best.set(key, outcome);
      }
    }
  }
  return best;
}

/** What all chunks that were read showed round the hunks of one file. */
function coverContext(chunks: readonly CoveredChunk[], at: number): { context?: FileContext } {
  const sum = { wanted: 0, whole: 0, cut: 0 };
  for (const { context = [], outcome } of chunks) {
    if (outcome === 'failed') continue;
    for (const { file, wanted, whole, cut } of context) {
      if (file !== at) continue;
      sum.wanted += wanted;
      sum.whole += whole;
      sum.cut += cut;
    }
  }
  if (sum.wanted === 0) return {};
  const state = sum.whole === sum.wanted ? 'full' : sum.whole + sum.cut === 0 ? 'none' : 'partial';
  return { context: { state, ...sum } };
}

function coverFile(
  path: string,
  skipped: FileSkip | null,
  outcomes: readonly (ChunkOutcome | undefined)[],
  unsentBecause: UnsentReason,
): FileCoverage {
  if (skipped !== null) return { path, state: 'skipped', reason: skipped };
  const hunks = outcomes.length;
  if (hunks === 0) return { path, state: 'skipped', reason: 'unchanged' };
  const count = (wanted: ChunkOutcome | undefined): number => outcomes.filter((outcome) => outcome === wanted).length;
  const read = count('read');
  if (read === hunks) return { path, state: 'reviewed_full', hunks };
  const [cut, failed, unsent] = [count('cut'), count('failed'), count(undefined)];
  if (read + cut === 0) return { path, state: 'skipped', reason: failed > 0 ? 'error' : unsentBecause };
  const reasons: PartialReason[] = [];
  if (unsent > 0) reasons.push('budget');
  if (cut > 0) reasons.push('truncated');
  if (failed > 0) reasons.push('error');
  return { path, state: 'reviewed_partial', hunks, hunks_reviewed: read, reasons };
}

/** How many hunks of a file each earlier review read, the newest first. */
function countReadBefore(hunks: ReadonlyMap<number, number> | undefined): { read_before?: readonly HunksReadBefore[] } {
  if (hunks === undefined || hunks.size === 0) return {};
  const counts = new Map<number, number>();
  for (const version of hunks.values()) counts.set(version, (counts.get(version) ?? 0) + 1);
  const sorted = [...counts].sort(([a], [b]) => b - a);
  return { read_before: sorted.map(([review_version, count]) => ({ review_version, hunks: count })) };
}

/** Files of which every hunk is as an earlier review read it: nothing of them was read again. */
export function countFilesAsBefore({ files }: Pick<Coverage, 'files'>): number {
  const asBefore = files.filter((file) => file.state === 'reviewed_full' && countHunksToRead(file) === 0);
  return asBefore.length;
}

/** Hunks of a file that no earlier review read. */
export function countHunksToRead(file: FileCoverage): number {
  if (file.state === 'skipped') return 0;
  return file.hunks - (file.read_before ?? []).reduce((sum, { hunks }) => sum + hunks, 0);
}

/** What the ledger is made from besides the change and its chunks. */
export interface CoverOptions {
  /** Why hunks are in no chunk. Default `budget`. */
  unsentBecause?: UnsentReason | undefined;
  /** By file and hunk, the version whose review read it: no request shows it again. Left out: none. */
  readBefore?: ReadonlyMap<number, ReadonlyMap<number, number>> | undefined;
}

/**
 * The ledger: every file of the change in exactly one state, in the change's order, whatever the
 * chunks say. Chunks naming files or hunks the change has not are ignored.
 */
export function coverChange(
  change: CoverableChange,
  chunks: readonly CoveredChunk[],
  { unsentBecause = 'budget', readBefore }: CoverOptions = {},
): Coverage {
  const best = outcomesOf(chunks);
  const files = change.files.map((file, index): FileCoverage => {
    const before = readBefore?.get(index);
    const outcomes = file.hunks.map((_, hunk) => (before?.has(hunk) ? 'read' : best.get(`${index}:${hunk}`)));
    const covered = coverFile(file.path, file.skipped, outcomes, unsentBecause);
    if (covered.state === 'skipped') return covered;
    return { ...covered, ...countReadBefore(before), ...coverContext(chunks, index) };
  });
  const count = (state: FileCoverage['state']): number => files.filter((file) => file.state === state).length;
  const totals = {
    files: files.length,
    reviewed_full: count('reviewed_full'),
    reviewed_partial: count('reviewed_partial'),
    skipped: count('skipped'),
  };
  const closed = files.every((file) => file.state === 'reviewed_full' || hasNothingToReview(file));
  const complete = closed && totals.reviewed_full > 0 && change.visibility === 'complete' && change.deniedFiles === 0;
  return { files, totals, denied_files: change.deniedFiles, visibility: change.visibility, complete };
}
