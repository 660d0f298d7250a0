import type { ChannelReview, PlannedPost, ReviewMailContent, ReviewMailFinding } from '@criticizer/core/ports';
import { archiveElsewhere, archiveFinding, archiveSummaries, asPost } from './archive-posts.js';
import type { BoundTopic } from './bind-version.js';
import { referenceOf } from './comment-reference.js';
import { findingKey, placeKey, targetOf } from './comment-targets.js';
import { type EarlierComment, type EarlierComments, readEarlier } from './earlier-comments.js';
import type { CommentBody } from './post-body.js';
import { renderComment, renderResolved } from './render-comment.js';
import { renderCounts, renderSummary } from './render-summary.js';

/** How a review becomes comments. */
export interface PlanOptions {
  /** Comments at lines, at most. */
  maxComments: number;
  /** True: each is a task. */
  openTasks: boolean;
  required: boolean;
}

interface Plan {
  review: ChannelReview & { content: ReviewMailContent };
  bound: BoundTopic;
  options: PlanOptions;
  earlier: EarlierComments;
}

type ShownFinding = ReviewMailFinding & { file: string };

/** Lines of code with a comment, by the reference of the server: the line and up to four before it. */
const maxContextLines = 5;
/** Bytes of one of them. */
const maxLineBytes = 256;

function cutBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= maxBytes) return text;
  return bytes
    .subarray(0, maxBytes)
    .toString()
    .replace(/\uFFFD+$/, '');
}

type CommentLines = NonNullable<NonNullable<CommentBody['context']>['lines']>;

/** The line of a finding on both sides, with the code that lets the page find it again. */
function linesOf({ place, excerpt = [] }: ReviewMailFinding): CommentLines | null {
  const { line } = place;
  if (line === null) return null;
  const at = excerpt.findIndex((one) => one.line === line);
  const last = excerpt[at];
  if (last === undefined) return { left: null, right: line, content: null };
  const shown = excerpt.slice(Math.max(0, at + 1 - maxContextLines), at + 1);
  const isWhole = shown.every(
    ({ oldLine, line: own }, n) => oldLine !== undefined && own === line - shown.length + 1 + n,
  );
  const content = isWhole
    ? shown.map(({ oldLine, text }) => cutBytes(`${oldLine === null ? '+' : ' '}${text}`, maxLineBytes))
    : null;
  return { left: last.oldLine ?? null, right: line, content };
}

/** The link of this post for readers who hide the finding. */
function withLink(finding: ReviewMailFinding, { linkFor }: ChannelReview, target: string): ReviewMailFinding {
  const hideUrl = linkFor(finding.id, target);
  return hideUrl === undefined ? finding : { ...finding, hideUrl };
}

function newComment(plan: Plan, finding: ShownFinding, place: string, sameAs: readonly string[]): PlannedPost {
  const { review, bound, options } = plan;
  const { topic, lines: bind } = bound;
  const { severity, file, id } = finding;
  const target = targetOf(topic, { about: 'finding', finding: findingKey(id), does: 'comment', place, severity });
  const lines = bind === null ? null : linesOf(finding);
  const references = [referenceOf(review.key(target))];
  const text = renderComment(withLink(finding, review, target), { references, hasLines: lines !== null });
  const context =
    lines === null ? { file } : { file, lines, ...(bind?.version === undefined ? {} : { version: bind.version }) };
  const body: CommentBody = {
    ...{ kind: 'comment', topic, text, context, notifies: false, isTask: options.openTasks, sameAs: [...sameAs] },
  };
  return asPost(target, body, lines?.content ? 'code' : 'findings', options.required);
}

function changed(plan: Plan, finding: ShownFinding, known: EarlierComment): PlannedPost {
  const { review, bound } = plan;
  const { topic } = bound;
  const about = { about: 'finding', finding: findingKey(finding.id), does: 'edit', place: known.place } as const;
  const target = targetOf(topic, { ...about, severity: finding.severity });
  const references = [...known.references, referenceOf(review.key(target))];
  const text = renderComment(withLink(finding, review, target), { references, hasLines: bound.lines !== null });
  const earlier = { comment: known.comment, references: [...known.references] };
  return asPost(target, { kind: 'edit', topic, ...earlier, text, addresses: false }, 'findings', false);
}

/** The posts of one finding that has a comment of its own, or had one. */
function planFinding(plan: Plan, finding: ShownFinding): readonly PlannedPost[] {
  const { bound, earlier } = plan;
  const key = findingKey(finding.id);
  const place = placeKey(finding.file, bound.lines === null ? null : finding.place.line);
  const comments = earlier.findings.get(key) ?? [];
  const known = comments.at(-1);
  const outdated = (those: readonly EarlierComment[]) => those.map((one) => archiveFinding(bound.topic, key, one));
  if (known === undefined) return [newComment(plan, finding, place, [])];
  // Where no line can be shown, nothing is known of a move.
  const isMoved = bound.lines !== null && known.place !== place;
  const isKnown = known.comment !== null;
  if (isMoved || known.mayBeClosed || (!isKnown && known.severity !== finding.severity))
    return [newComment(plan, finding, place, []), ...outdated(comments)];
  const before = outdated(comments.slice(0, -1));
  if (!isKnown) return [newComment(plan, finding, known.place, known.references), ...before];
  return known.severity === finding.severity ? before : [changed(plan, finding, known), ...before];
}

/** Findings of the version before that are gone: their comments say so. */
function planResolved({ review, bound, earlier, options }: Plan): readonly PlannedPost[] {
  const { topic, lines } = bound;
  const notReported = review.content.sinceVersion?.notReported ?? [];
  return notReported.flatMap((finding) => {
    const key = findingKey(finding.id);
    const known = earlier.findings.get(key)?.at(-1);
    if (finding.state !== 'resolved' || known === undefined) return [];
    const target = targetOf(topic, { about: 'finding', finding: key, does: 'resolved' });
    const references = [...known.references, referenceOf(review.key(target))];
    const text = renderResolved(finding, { references, version: lines?.version ?? null });
    const addresses = options.openTasks;
    const about = { comment: known.comment, references: [...known.references] };
    return [
      asPost(target, { kind: 'edit', topic, ...about, text, addresses }, 'findings', false),
      ...(earlier.findings.get(key) ?? []).slice(0, -1).map((one) => archiveFinding(topic, key, one)),
    ];
  });
}

/** Findings that an earlier version could not surely call resolved, and of which no newer one says anything. */
function planUnsaid({ review, bound, earlier }: Plan): readonly PlannedPost[] {
  const { result, sinceVersion } = review.content;
  const said = new Set([...result.findings, ...(sinceVersion?.notReported ?? [])].map(({ id }) => findingKey(id)));
  return [...earlier.findings].flatMap(([key, comments]) =>
    comments.at(-1)?.mayBeClosed === true && !said.has(key)
      ? comments.map((one) => archiveFinding(bound.topic, key, one))
      : [],
  );
}

function planSummary(
  { review, bound, earlier, options }: Omit<Plan, 'review'> & { review: ChannelReview },
  render: (reference: string) => { text: string; content: PlannedPost['content'] },
): readonly PlannedPost[] {
  const { topic } = bound;
  const target = targetOf(topic, { about: 'summary', does: 'comment' });
  const { text, content } = render(referenceOf(review.key(target)));
  const body: CommentBody = {
    ...{ kind: 'comment', topic, text, context: null, notifies: true, isTask: false, sameAs: [] },
  };
  return [asPost(target, body, content, options.required), ...archiveSummaries(topic, earlier.summaries)];
}

/**
 * The posts of a review: its gravest findings as comments at their places, each once over all versions, what
 * became of those of earlier versions, and one summary with all the rest. Pure.
 */
export function planComments(review: ChannelReview, bound: BoundTopic, options: PlanOptions): readonly PlannedPost[] {
  const earlier = readEarlier(bound.topic, review.earlier);
  const { content, counts } = review;
  const elsewhere = archiveElsewhere(review, bound.topic);
  if (content === null) {
    const summary = planSummary({ review, bound, options, earlier }, (reference) => ({
      ...{ text: renderCounts(counts, reference), content: 'counts' },
    }));
    return [...summary, ...elsewhere];
  }
  const plan: Plan = { review: { ...review, content }, bound, options, earlier };
  const { findings } = content.result;
  const placed = findings.filter(
    (finding): finding is ShownFinding => finding.file !== null && finding.place.line !== null,
  );
  const inline = new Set<ReviewMailFinding>(placed.slice(0, options.maxComments));
  // One beyond the limit may have its comment from an earlier version.
  const isSaid = (finding: ReviewMailFinding): boolean =>
    inline.has(finding) || earlier.findings.get(findingKey(finding.id))?.at(-1)?.comment != null;
  const rest = findings.filter((finding) => !isSaid(finding));
  const posts = [
    ...placed.slice(0, options.maxComments).flatMap((finding) => planFinding(plan, finding)),
    ...planResolved(plan),
    ...planUnsaid(plan),
    ...planSummary(plan, (reference) => ({
      text: renderSummary({ content, commented: findings.length - rest.length, rest, reference }),
      content: 'findings',
    })),
    ...elsewhere,
  ];
  return [...new Map(posts.map((post) => [post.target, post])).values()];
}
