import type { SkipReason } from './change.js';

/** What decides about a shelf that was noticed, besides its content. */
export interface NoticedShelf {
  description: string;
  /** P4 Code Review calls its test for it. */
  isInReview: boolean;
}

/** Which shelves are reviewed. */
export interface ShelfPolicy {
  shelves: 'in_review' | 'tagged' | 'all' | null;
  tags: readonly string[];
}

/** The skips that another look may take back: a tag was added, a review was begun. */
export const shelfSkips: ReadonlySet<unknown> = new Set<SkipReason>(['not_in_review', 'not_tagged']);

/**
 * Review, or a skip reason to store, for a shelf that a watcher, a trigger or P4 Code Review noticed
 * (INT-1). `hasCodeReview` decides where `shelves` is null.
 */
export function decideShelf(
  shelf: NoticedShelf,
  policy: ShelfPolicy,
  hasCodeReview: boolean,
): { reason: SkipReason; detail: string } | null {
  const mode = policy.shelves ?? (hasCodeReview ? 'in_review' : 'tagged');
  if (mode === 'all' || shelf.isInReview) return null;
  if (mode === 'in_review')
    return { reason: 'not_in_review', detail: 'A shelf that P4 Code Review has not asked about.' };
  if (policy.tags.some((tag) => hasReviewTag(shelf.description, tag))) return null;
  return {
    reason: 'not_tagged',
    detail: `A shelf whose description has none of ${policy.tags.join(', ')}.`.slice(0, 200),
  };
}

/** P4 Code Review adds the number of the review to the word: `#review-12`. */
function hasReviewTag(description: string, tag: string): boolean {
  const start = `${tag.toLowerCase()}-`;
  return description
    .toLowerCase()
    .split(/\s+/)
    .some(
      (word) => word === tag.toLowerCase() || (word.startsWith(start) && /^[0-9]+$/.test(word.slice(start.length))),
    );
}
