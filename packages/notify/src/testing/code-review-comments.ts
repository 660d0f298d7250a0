import { checkBody, checkNewComment, checkTaskState } from './check-code-review-comment.js';
import {
  type CodeReviewComment,
  type CodeReviewRecord,
  CodeReviewRefusal,
  type CodeReviewState,
} from './code-review-records.js';

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

/** At a word's start, anywhere in the raw body: code does not protect. */
const mention = /(?<=^|[\s<>{}"'(])(@{1,2})([*!]?)([A-Za-z0-9_.-]+)/g;

/** The review of a topic, null for a change or a job. Throws 404 and 403 as the server does. */
export function findTopic(state: CodeReviewState, topic: string, user: string): CodeReviewRecord | null {
  const [kind, name = ''] = topic.split('/');
  if (kind === 'jobs' && state.jobs.has(name)) return null;
  if (kind === 'reviews') {
    const review = state.reviews.get(Number(name));
    if (review === undefined) throw new CodeReviewRefusal(404, 'Review not found.');
    if (review.isPrivate && !review.participants.has(user)) throw new CodeReviewRefusal(403, 'Review is private.');
    return review;
  }
  if (kind === 'changes') {
    const change = state.changes.get(Number(name));
    // A change that was renumbered is known by its first number alone.
    const isRenumbered = [...state.changes.values()].some(({ submittedAs }) => submittedAs === Number(name));
    if (change?.isRestricted || (change === undefined && isRenumbered))
      throw new CodeReviewRefusal(403, 'No access to the change.');
    if (change !== undefined) return null;
  }
  throw new CodeReviewRefusal(404, 'Topic not found.');
}

/** Makes those whom the text mentions participants, though the comment is silent. Unknown names are ignored. */
function addMentioned(state: CodeReviewState, review: CodeReviewRecord, body: string): void {
  for (const [, at, mark, name = ''] of body.matchAll(mention)) {
    const word = name.replace(/[.-]+$/, '');
    const names = at === '@@' ? (state.groups.get(word) ?? []) : state.users.has(word) ? [word] : [];
    for (const one of names) {
      review.participants.add(one);
      if (mark !== '') review.requiredReviewers.add(one);
    }
  }
}

function notify(
  state: CodeReviewState,
  comment: CodeReviewComment,
  how: string,
  review: CodeReviewRecord | null,
): void {
  if (how === 'silent') return;
  const key = `${comment.user}\n${comment.topic}`;
  state.delayed.set(key, [...(state.delayed.get(key) ?? []), comment.id]);
  // Delay works for reviews only.
  if (how === 'immediate' || review === null) flushMails(state, comment.user, comment.topic);
}

/** Sends the mails that wait for the user's comments of a topic, as one. */
export function flushMails(state: CodeReviewState, user: string, topic: string): void {
  const key = `${user}\n${topic}`;
  const comments = state.delayed.get(key) ?? [];
  state.delayed.delete(key);
  if (comments.length === 0) return;
  const review = topic.startsWith('reviews/') ? state.reviews.get(Number(topic.slice(8))) : undefined;
  const change = state.changes.get(Number(topic.split('/')[1]));
  const readers = review ? [...review.participants] : change ? [change.user] : [];
  state.mails.push({ topic, from: user, to: readers.filter((one) => one !== user).sort(), comments });
}

/** Saves a comment. Throws 400 for its form, 404 for its topic or parent, 409 for its version. */
export function createComment(
  state: CodeReviewState,
  request: { topic: string; user: string; notify: string; input: unknown },
): CodeReviewComment {
  const { topic, user } = request;
  if (!['delayed', 'immediate', 'silent'].includes(request.notify))
    throw new CodeReviewRefusal(400, 'notify is not valid.', { notify: { notInArray: 'unknown' } });
  const { body, taskState, context } = checkNewComment(request.input, topic);
  const review = findTopic(state, topic, user);
  if (context.comment !== undefined && !state.comments.some(({ id }) => id === context.comment))
    throw new CodeReviewRefusal(404, 'The comment that this one answers is not there.');
  if (context.version !== undefined && context.version > (review?.versions.length ?? 0))
    throw new CodeReviewRefusal(409, 'The version is not one of the review.');
  if (review !== null && context.file !== undefined && context.version === undefined)
    context.version = review.versions.length;
  const time = nowSeconds();
  const comment: CodeReviewComment = {
    id: state.nextComment++,
    ...{ topic, context, attachments: [], flags: [], taskState, likes: [], user },
    ...{ time, updated: time, edited: null, body, readBy: [] },
  };
  state.comments.push(comment);
  if (review !== null) {
    review.participants.add(user);
    addMentioned(state, review, body);
  }
  notify(state, comment, request.notify, review);
  return comment;
}

function findComment(state: CodeReviewState, id: number, user: string): CodeReviewComment {
  const comment = state.comments.find((one) => one.id === id);
  if (comment === undefined) throw new CodeReviewRefusal(404, 'Comment not found.');
  findTopic(state, comment.topic, user);
  return comment;
}

/** Changes a body, which its author alone may, or a task state, which everyone may. A context cannot be changed. */
export function editComment(
  state: CodeReviewState,
  request: { id: number; user: string; notify: string; input: unknown },
): CodeReviewComment {
  const comment = findComment(state, request.id, request.user);
  const { body, taskState } = (request.input ?? {}) as Record<string, unknown>;
  if (body === undefined && taskState === undefined) throw new CodeReviewRefusal(500, 'Nothing to change.');
  if (body !== undefined && comment.user !== request.user)
    throw new CodeReviewRefusal(403, 'Only its author may change the body of a comment.');
  if (taskState !== undefined) comment.taskState = checkTaskState(taskState);
  if (body !== undefined) {
    Object.assign(comment, { body: checkBody(body), edited: nowSeconds(), readBy: [], likes: [] });
    const review = findTopic(state, comment.topic, request.user);
    if (review !== null) addMentioned(state, review, comment.body);
    notify(state, comment, request.notify, review);
  }
  comment.updated = nowSeconds();
  return comment;
}

/** Archives a comment with its answers, or brings them back; no mail is sent. */
export function archiveComment(
  state: CodeReviewState,
  id: number,
  user: string,
  isArchived: boolean,
): CodeReviewComment {
  const comment = findComment(state, id, user);
  for (const one of state.comments.filter((other) => other === comment || other.context.comment === id))
    one.flags = isArchived ? [...new Set([...one.flags, 'closed'])] : one.flags.filter((flag) => flag !== 'closed');
  return comment;
}

/** One page of a topic's comments, oldest first. */
export interface CommentPage {
  comments: CodeReviewComment[];
  totalCount: number;
  /** What the next page comes after; null at the end alone. */
  lastSeen: number | null;
}

/**
 * The comments of a topic after one of its ids. What is filtered out, or is about a file that the user may not
 * read, is left out after `max` was counted: a short or empty page is not the last one.
 */
export function listComments(
  state: CodeReviewState,
  query: { topic: string; user: string; max: number; after: number | null; ignoreArchived: boolean },
): CommentPage {
  findTopic(state, query.topic, query.user);
  const all = state.comments.filter(({ topic }) => topic === query.topic);
  const start = query.after === null ? 0 : all.findIndex(({ id }) => id === query.after) + 1;
  // An id of another topic skips everything: a false end.
  const scanned = query.after !== null && start === 0 ? [] : all.slice(start, start + query.max);
  const hidden = state.unreadable.get(query.user);
  const comments = scanned.filter(
    ({ context, flags }) =>
      !(context.file !== undefined && hidden?.has(context.file)) && !(query.ignoreArchived && flags.includes('closed')),
  );
  return { comments, totalCount: all.length, lastSeen: scanned.at(-1)?.id ?? null };
}
