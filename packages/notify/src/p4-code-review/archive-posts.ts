import type { ChannelReview, JsonObject, PlannedPost } from '@criticizer/core/ports';
import type { BoundTopic } from './bind-version.js';
import type { CodeReviewTopic } from './code-review-schemas.js';
import { findingKey, readTopic, targetOf } from './comment-targets.js';
import { type EarlierComment, type EarlierComments, readEarlier } from './earlier-comments.js';
import type { PostBody } from './post-body.js';

/** A post with a body of this channel. */
export function asPost(
  target: string,
  body: PostBody,
  content: PlannedPost['content'],
  required: boolean,
): PlannedPost {
  return { target, body: body as JsonObject, content, required };
}

/** What outdates a comment of an earlier version: it goes to the archive, with its answers. */
export function archiveFinding(topic: BoundTopic['topic'], finding: string, known: EarlierComment): PlannedPost {
  const { comment, references, place, severity } = known;
  const target = targetOf(topic, { about: 'finding', finding, does: 'moved', place, severity });
  return asPost(target, { kind: 'archive', topic, comment, references: [...references] }, 'counts', false);
}

/** The summaries of earlier versions go to the archive. */
export function archiveSummaries(
  topic: BoundTopic['topic'],
  summaries: EarlierComments['summaries'],
): readonly PlannedPost[] {
  return [...summaries].map(([reviewVersion, { comment, references }]) => {
    const target = targetOf(topic, { about: 'summary', does: 'outdated', reviewVersion });
    return asPost(target, { kind: 'archive', topic, comment, references: [...references] }, 'counts', false);
  });
}

/** The keys of findings that a review says again or calls resolved, and of those that it leaves open unsaid. */
function readSaid({ content }: ChannelReview): { outdated: ReadonlySet<string>; open: ReadonlySet<string> } {
  const keys = (those: readonly { id: string }[]): ReadonlySet<string> =>
    new Set(those.map(({ id }) => findingKey(id)));
  const notReported = content?.sinceVersion?.notReported ?? [];
  const resolved = notReported.filter(({ state }) => state === 'resolved');
  return {
    outdated: keys([...(content?.result.findings ?? []), ...resolved]),
    open: keys(notReported.filter(({ state }) => state !== 'resolved')),
  };
}

/**
 * Archives what earlier versions said in other topics, as at `changes/N` before the change was put under review:
 * the summaries, and the comments of findings that this version says again or calls resolved, or an earlier
 * one did. A finding of which it says neither keeps its comment there, or nobody would see it.
 */
export function archiveElsewhere(review: ChannelReview, topic: CodeReviewTopic): readonly PlannedPost[] {
  const topics = new Set(review.earlier.flatMap(({ target }) => readTopic(target) ?? []));
  topics.delete(topic);
  const { outdated, open } = readSaid(review);
  return [...topics].flatMap((other) => {
    const { findings, summaries } = readEarlier(other, review.earlier);
    const isOutdated = (key: string, known: readonly EarlierComment[]): boolean =>
      outdated.has(key) || (review.content !== null && known.at(-1)?.mayBeClosed === true && !open.has(key));
    return [
      ...[...findings].flatMap(([key, known]) =>
        isOutdated(key, known) ? known.map((one) => archiveFinding(other, key, one)) : [],
      ),
      ...archiveSummaries(other, summaries),
    ];
  });
}
