import { isArtifactGone } from '../../artifacts/artifacts.js';
import type { Change } from '../../changes/change.js';
import { type HiddenPath, hiddenPathsOf, type RedactedChange } from '../../changes/redacted-change.js';
import type { EgressPlanOptions } from '../../egress/guarded-exchange.js';
import { isCriticizerError } from '../../foundation/errors.js';
import type { PromptChunk } from '../../prompt/prompt-chunk.js';
import { listContextPaths, readSummary, type StoredSummary, type TruePaths } from './change-snapshot.js';
import type { OutputReader } from './run-outputs.js';

/**
 * Every true path of a change, for the policy alone: of its files, then of each piece of its
 * context. The raw summary is read only where the redacted change does not say them.
 */
export async function readPathsForPolicy(change: RedactedChange, outputs: OutputReader): Promise<readonly TruePaths[]> {
  if (hiddenPathsOf(change).length > 0) return listPaths(await readSummary(outputs));
  const { files, context = [] } = change;
  return [...files, ...context.map(({ path }) => ({ path, oldPath: null }))];
}

/** The same once a review is done; null where the raw summary has expired, or its reader may not read it (ART-3). */
export async function readTruePaths(outputs: OutputReader): Promise<readonly TruePaths[] | null> {
  try {
    return listPaths(await readSummary(outputs));
  } catch (error) {
    if (isArtifactGone(error) || (isCriticizerError(error) && error.code === 'ARTIFACT_ACCESS_DENIED')) return null;
    throw error;
  }
}

/** The same of a change just fetched. */
export function listTruePaths({ files, context }: Pick<Change, 'files' | 'context'>): readonly TruePaths[] {
  return [...files, ...listContextPaths(context)];
}

function listPaths({ files, context }: StoredSummary): readonly TruePaths[] {
  return [...files, ...context];
}

/** A file's own path and the one it came from: both are names, and the old one's content stands in the diff. */
export function bothPaths({ path, oldPath }: TruePaths): readonly string[] {
  return oldPath === null ? [path] : [path, oldPath];
}

/** Every file of the change that a request shows or names, its own first. */
function listFiles({ files, listed = [], context }: PromptChunk): readonly number[] {
  const shown = context?.lines ?? [];
  return [...new Set([...files.map(({ file }) => file), ...shown.map(({ file }) => file), ...listed])];
}

/**
 * The paths in a chunk's request: true ones for the policy, redacted ones for the record (EGR-1,
 * EGR-2). `truePaths` of the change's files, then of its context.
 */
export function pathsInRequest(
  change: RedactedChange,
  truePaths: readonly TruePaths[],
  chunk: PromptChunk,
): Pick<EgressPlanOptions, 'depotPaths' | 'redactedPaths'> {
  // A file without a true path has one that no policy permits.
  const unknown: TruePaths = { path: '', oldPath: null };
  const files = listFiles(chunk);
  const found = chunk.context?.found ?? [];
  const places = [...files, ...found.map((place) => change.files.length + place)];
  return {
    depotPaths: [...new Set(places.flatMap((at) => bothPaths(truePaths[at] ?? unknown)))],
    redactedPaths: [
      ...files.flatMap((at) => {
        const file = change.files[at];
        if (file === undefined) return [];
        return bothPaths({ path: file.displayPath ?? file.path, oldPath: file.displayOldPath ?? file.oldPath });
      }),
      ...new Set(found.flatMap((at) => change.context?.[at]?.displayPath ?? change.context?.[at]?.path ?? [])),
    ],
  };
}

/** Longest first, so that no alias is taken for a shorter one that begins it. */
function anyOf(names: Iterable<string>): RegExp {
  const escaped = [...names]
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`(?:${escaped.join('|')})(?!\\w)`, 'g');
}

function mapTexts<T>(value: T, map: (text: string) => string): T {
  if (typeof value === 'string') return map(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, map)) as T;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapTexts(one, map)])) as T;
}

/**
 * A review that names true paths where it named aliases, in findings, prose and ledger; redacted
 * paths where `truePaths` is null (ruling R15).
 */
export function restorePaths<
  Review extends {
    hiddenPaths: readonly HiddenPath[];
    findings: unknown;
    droppedByCheck: unknown;
    earlier: unknown;
    suppressed: unknown;
    reading: readonly { file: string }[];
    result: unknown;
    coverage: unknown;
    secrets: unknown;
  },
>(review: Review, truePaths: readonly TruePaths[] | null): Review {
  const names = new Map(
    review.hiddenPaths.map(({ alias, shown, file, side }) => [alias, truePaths?.[file]?.[side] ?? shown]),
  );
  const aliases = anyOf(names.keys());
  const restore = (text: string): string => text.replace(aliases, (alias) => names.get(alias) ?? alias);
  return {
    ...review,
    findings: mapTexts(review.findings, restore),
    droppedByCheck: mapTexts(review.droppedByCheck, restore),
    earlier: mapTexts(review.earlier, restore),
    suppressed: mapTexts(review.suppressed, restore),
    // Its other texts are digests.
    reading: review.reading.map((one) => ({ ...one, file: restore(one.file) })),
    result: mapTexts(review.result, restore),
    coverage: mapTexts(review.coverage, restore),
    secrets: mapTexts(review.secrets, restore),
  };
}
