import { isCriticizerError } from '@criticizer/core/ports';
import type { CodeReviewClient } from './code-review-client.js';
import type { CodeReview, CodeReviewTopic } from './code-review-schemas.js';

/** Where the comments of a review go. */
export interface BoundTopic {
  topic: CodeReviewTopic;
  /**
   * The lines that are those of the judged content: of a version of the review, or of a submitted change.
   * Null: nobody knows which content a line would be shown in, so none is.
   */
  lines: { version?: number | undefined } | null;
}

/** What is to be found on the server. */
export interface JudgedChange {
  number: number;
  originalNumber: number;
  kind: 'submitted' | 'pending' | 'shelved';
  contentDigest: string;
}

/** Tells the content of a change or shelf by the digest that a fetched change has. */
export type ReadContentDigest = (change: number, signal: AbortSignal) => Promise<string | null>;

/** A review whose content was judged is seldom further back; each one is a call of Perforce. */
const maxVersionsAsked = 5;

async function readIfThere(client: CodeReviewClient, id: number, signal: AbortSignal): Promise<CodeReview | null> {
  try {
    return await client.readReview(id, signal);
  } catch (error) {
    if (isCriticizerError(error) && error.details?.status === 404) return null;
    throw error;
  }
}

/** The review of the change: by either of its numbers, or the review's own changelist. */
async function findReview(
  client: CodeReviewClient,
  { number, originalNumber }: JudgedChange,
  signal: AbortSignal,
): Promise<CodeReview | null> {
  for (const one of new Set([number, originalNumber])) {
    const found = await client.findReview(one, signal);
    if (found !== null) return client.readReview(found.id, signal);
  }
  return readIfThere(client, number, signal);
}

/** Null where Perforce has no such change any more, or hides it: no proof of anything. */
async function askDigest(read: ReadContentDigest, change: number, signal: AbortSignal): Promise<string | null> {
  try {
    return await read(change, signal);
  } catch (error) {
    if (isCriticizerError(error) && (error.category === 'not_found' || error.category === 'policy')) return null;
    throw error;
  }
}

/** The changelist that holds a version for good; null for one that the next shelf replaces. */
function frozenChange(review: CodeReview, { change, archiveChange }: CodeReview['versions'][number]): number | null {
  return archiveChange ?? (change === review.id ? null : change);
}

async function findVersion(
  review: CodeReview,
  judged: JudgedChange,
  read: ReadContentDigest | null,
  signal: AbortSignal,
): Promise<number | null> {
  const { versions } = review;
  const submitted = versions.findLastIndex(({ change, pending }) => pending === false && change === judged.number);
  if (judged.kind === 'submitted' && submitted >= 0) return submitted + 1;
  if (read === null) return null;
  for (const [back, version] of versions.toReversed().slice(0, maxVersionsAsked).entries()) {
    const change = frozenChange(review, version);
    const digest = change === null ? null : await askDigest(read, change, signal);
    if (digest === judged.contentDigest) return versions.length - back;
  }
  return null;
}

/**
 * Finds the topic of a change and, by content, the version of the review that was judged. A version is never
 * guessed: one that was shelved while the review was made has other lines.
 */
export async function bindTopic(
  client: CodeReviewClient,
  judged: JudgedChange,
  read: ReadContentDigest | null,
  signal: AbortSignal,
): Promise<BoundTopic> {
  const review = await findReview(client, judged, signal);
  // A change without a review is known by its first number alone; as long as it is a shelf its lines may change.
  if (review === null)
    return { topic: `changes/${judged.originalNumber}`, lines: judged.kind === 'submitted' ? {} : null };
  const version = await findVersion(review, judged, read, signal);
  return { topic: `reviews/${review.id}`, lines: version === null ? null : { version } };
}
