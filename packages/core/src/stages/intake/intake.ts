import type { Change, ChangedFile, SkipReason } from '../../changes/change.js';
import type { FilteredFiles, PathFilter } from '../job/path-filter.js';

/** Which changes are reviewed at all (INT-1). */
export interface IntakePolicy {
  /** User names never reviewed: build robots. Compared case-insensitively. */
  skipUsers: readonly string[];
  /** Only these kinds are reviewed. */
  kinds: readonly Change['kind'][];
  /** Words in the description that ask for no review, `#noreview`. Compared case-insensitively, as whole words. */
  skipTags: readonly string[];
  /** More changed files than this, filtered ones not counted, is a bulk operation, not a change to review. */
  maxFiles: number;
}

export interface IntakeSkip {
  reason: SkipReason;
  /** One plain sentence for the stored reason; no content of the change. */
  detail: string;
}

/** How long a review may have waited, by kind of change; null: however long. */
export interface AgeLimits {
  shelved: number | null;
  submitted: number | null;
}

/**
 * A skip where the review waited longer than its kind of change allows; of an unknown kind only
 * where no kind would allow it.
 */
export function decideAge(ageMs: number, kind: Change['kind'] | undefined, limits: AgeLimits): IntakeSkip | null {
  const { shelved, submitted } = limits;
  const ofAny = shelved === null || submitted === null ? null : Math.max(shelved, submitted);
  const limit = kind === undefined ? ofAny : kind === 'submitted' ? submitted : shelved;
  if (limit === null || ageMs <= limit) return null;
  const hours = (ms: number): number => Math.floor(ms / 3_600_000);
  return {
    reason: 'stale',
    detail: `The review waited ${hours(ageMs)} hours; review.maxAgeMs allows ${hours(limit)}.`,
  };
}

function hasTag(description: string, tag: string): boolean {
  const words = description.toLowerCase().split(/\s+/);
  return words.includes(tag.toLowerCase());
}

/**
 * A skip where the path filter leaves the model nothing to read, unless secrets were found: then a
 * review without requests tells their count.
 */
export function decideFiltered({ filtered, unscanned, isAll }: FilteredFiles, secrets: number): IntakeSkip | null {
  if (!isAll || secrets > 0) return null;
  const scanned = unscanned === 0 ? '' : ` The limits of fetch left ${unscanned} of them unscanned for secrets.`;
  return { reason: 'filtered_only', detail: `All ${filtered} files with text lie under intake.skipPaths.${scanned}` };
}

/** Every file was taken over from elsewhere as it was there; deletions may be part of a merge. */
function isIntegrationOnly({ files }: Change): boolean {
  const isIntegrated = ({ action, skipped }: ChangedFile): boolean =>
    skipped === 'integrated' || (action === 'integrate' && skipped === 'unchanged');
  return files.some(isIntegrated) && files.every((file) => isIntegrated(file) || file.skipped === 'deleted');
}

/** Review, or a skip reason to store. Pure: every change seen ends in one of the two. */
export function decideIntake(change: Change, policy: IntakePolicy, filter: PathFilter): IntakeSkip | null {
  if (policy.skipUsers.some((user) => user.toLowerCase() === change.user.toLowerCase()))
    return { reason: 'user', detail: 'The user is on the list of users not reviewed.' };
  if (!policy.kinds.includes(change.kind))
    return { reason: 'kind', detail: `${change.kind} changes are not reviewed.` };
  const tag = policy.skipTags.find((word) => hasTag(change.description, word));
  if (tag !== undefined) return { reason: 'tag', detail: `The description carries ${tag}.` };
  if (change.files.length === 0) return { reason: 'empty', detail: 'The change has no files.' };
  const files = change.files.filter(({ path }) => !filter.skips(path)).length;
  if (files > policy.maxFiles)
    return { reason: 'size', detail: `${files} files; at most ${policy.maxFiles} are reviewed.` };
  if (isIntegrationOnly(change)) return { reason: 'integration_only', detail: 'Only integrations without edits.' };
  if (change.files.every((file) => file.skipped === 'binary'))
    return { reason: 'binary_only', detail: 'Only binary files.' };
  return null;
}
