import { checkOptions } from '@criticizer/core/internal';
import type { Channel, LookupOutcome, PostQuery, SendContext, SendOutcome } from '@criticizer/core/ports';
import { bindTopic } from './bind-version.js';
import { type CodeReviewChannelOptions, channelShape } from './channel-options.js';
import type { CodeReviewClient, CodeReviewWrite, CodeReviewWriteOptions } from './code-review-client.js';
import type { CodeReviewListedComment } from './code-review-schemas.js';
import { hasReference, referenceOf } from './comment-reference.js';
import { groupOf } from './comment-targets.js';
import { planComments } from './plan-comments.js';
import { type ChangeBody, type CommentBody, type PostBody, readPostBody } from './post-body.js';

/** Of a change of a comment that is not there: nothing is left to do. */
const nothingToDo: SendOutcome = { kind: 'accepted', id: 'gone' };

/** A topic that is not there may be new to this server, or come back with it: so long until the next look. */
const missingTopicMs = 300_000;

/** What a write came to, as the outbox judges it. Throws what parks: a refused ticket, an address without the API. */
function toOutcome(result: CodeReviewWrite): SendOutcome {
  if (result.kind === 'done') return { kind: 'accepted', id: String(result.id) };
  const { scope, error } = result;
  if (error.parks) throw error;
  const { code, category, retryAfterMs } = error;
  const about = { code, category, message: error.message.slice(0, 512) };
  if (scope === 'recipient' && error.details?.status === 404)
    return { kind: 'rejected', failure: { ...about, scope }, permanent: false, retryAfterMs: missingTopicMs };
  if (scope === 'ambiguous') return { kind: 'ambiguous', failure: { ...about, scope: 'transport' }, retryAfterMs };
  return { kind: 'rejected', failure: { ...about, scope }, permanent: scope !== 'transport', retryAfterMs };
}

/** A lost reply of an earlier version may still be saved: its comment would be there together with this one. */
function mustSettle(waitMs: number): SendOutcome {
  const message = 'A comment of an earlier review of the change may still appear; this post waits for it.';
  const failure = { scope: 'recipient', code: 'CODE_REVIEW_UNSETTLED', category: 'conflict', message } as const;
  return { kind: 'rejected', failure, permanent: false, retryAfterMs: waitMs };
}

function isOf(body: ChangeBody): (comment: CodeReviewListedComment) => boolean {
  return ({ id, body: text }) => (body.comment === null ? hasReference(text, body.references) : id === body.comment);
}

interface Sending {
  client: CodeReviewClient;
  requestLimitMs: number;
  nowMs: () => number;
}

/** How long an absence proves nothing: what it looks for can have been under way when the post was planned. */
function unsettledMs(areAllShown: boolean, plannedAt: Date, { requestLimitMs, nowMs }: Sending): number {
  return areAllShown ? plannedAt.getTime() + requestLimitMs - nowMs() : requestLimitMs;
}

async function sendComment(
  body: CommentBody,
  plannedAt: Date,
  sending: Sending,
  options: CodeReviewWriteOptions,
): Promise<SendOutcome> {
  const { client } = sending;
  const { topic, text, context, sameAs, isTask } = body;
  if (sameAs.length > 0) {
    const isSame = (comment: CodeReviewListedComment): boolean => hasReference(comment.body, sameAs);
    const { comments, areAllShown } = await client.findOwnComments(topic, isSame, options.signal);
    const [same] = comments;
    if (same !== undefined) return { kind: 'accepted', id: String(same.id) };
    const waitMs = unsettledMs(areAllShown, plannedAt, sending);
    if (waitMs > 0) return mustSettle(waitMs);
  }
  const { file, lines, version } = context ?? {};
  const at = lines && { leftLine: lines.left, rightLine: lines.right, content: lines.content };
  const where = file === undefined ? {} : { context: { file, ...at, ...(version === undefined ? {} : { version }) } };
  return toOutcome(await client.postComment(topic, { body: text, isTask, ...where }, options));
}

async function sendChange(
  body: ChangeBody,
  plannedAt: Date,
  sending: Sending,
  options: CodeReviewWriteOptions,
): Promise<SendOutcome> {
  const { client } = sending;
  let id = body.comment;
  if (id === null) {
    const { comments, areAllShown } = await client.findOwnComments(body.topic, isOf(body), options.signal);
    const found = comments.at(-1);
    const waitMs = unsettledMs(areAllShown, plannedAt, sending);
    if (found === undefined) return waitMs > 0 ? mustSettle(waitMs) : nothingToDo;
    id = found.id;
  }
  const written =
    body.kind === 'archive'
      ? await client.archiveComment(id, options)
      : await client.editComment(id, { body: body.text, isAddressed: body.addresses }, options);
  const isGone = written.kind === 'failed' && written.scope === 'message' && written.error.details?.status === 404;
  return isGone ? nothingToDo : toOutcome(written);
}

/** Whether a listed comment shows that the post took effect. */
function showsEffect(body: PostBody, key: string): (comment: CodeReviewListedComment) => boolean {
  const own = referenceOf(key);
  if (body.kind === 'archive') return (comment) => isOf(body)(comment) && comment.flags.includes('closed');
  const references = body.kind === 'comment' ? [own, ...body.sameAs] : [own];
  return (comment) => hasReference(comment.body, references);
}

/**
 * Posts reviews into P4 Code Review (Swarm): findings as comments at their lines, one summary of which people
 * get mail, and what became of the findings of earlier versions (CHN-2). One visible comment a finding,
 * given one database for the server: the server knows no key, so a reference in the comment is looked up in all
 * pages of the topic, as the posting account, before anything is posted again. Content levels by
 * `code-review:<id>`. Throws `TypeError` for wrong options.
 */
export function createCodeReviewChannel(options: CodeReviewChannelOptions): Channel {
  checkOptions('createCodeReviewChannel', options, channelShape);
  const { client, serverId, id: channelId = 'swarm', readContentDigest = null, maxComments = 10 } = options;
  const { requestLimitMs = 120_000, openTasks = false, required = true, nowMs = Date.now } = options;
  const sending: Sending = { client, requestLimitMs, nowMs };

  async function send(body: PostBody, plannedAt: Date, { signal, onPhase }: SendContext): Promise<SendOutcome> {
    const isSilent = body.kind !== 'comment' || !body.notifies;
    const onRequest = (bytes: Uint8Array): Promise<void> => onPhase('data', { host: client.host, bytes });
    const write: CodeReviewWriteOptions = { isSilent, signal, onRequest };
    return body.kind === 'comment'
      ? sendComment(body, plannedAt, sending, write)
      : sendChange(body, plannedAt, sending, write);
  }

  async function lookup({ post, key, id, sinceDataMs, signal }: PostQuery): Promise<LookupOutcome> {
    const body = readPostBody(post.body);
    // What was changed once may have been changed again, by a later version or a reader.
    if (body.kind !== 'comment' && id !== null) return { kind: 'found', id };
    const { comments, areAllShown } = await client.findOwnComments(body.topic, showsEffect(body, key), signal);
    const [found] = comments;
    if (found !== undefined) return { kind: 'found', id: String(found.id) };
    // A comment in a file that the account may not read any more is hidden from it, not absent.
    return { kind: 'absent', conclusive: areAllShown && sinceDataMs >= requestLimitMs };
  }

  return {
    contract: 1,
    id: channelId,
    destination: { kind: 'code-review', id: channelId },
    host: client.host,
    capabilities: {
      ...{ idempotency: 'none', lookup: 'key', settleMs: requestLimitMs, retentionMs: Number.MAX_SAFE_INTEGER },
    },
    plansOnline: true,
    groupOf,
    async plan(review, { signal }) {
      const { change } = review.counts;
      if (change.serverId !== serverId) return [];
      const { originalNumber, contentDigest } = review;
      const judged = { number: change.number, kind: change.kind, originalNumber, contentDigest };
      const bound = await bindTopic(client, judged, readContentDigest, signal);
      return planComments(review, bound, { maxComments, openTasks, required });
    },
    async send(post, context) {
      const body = readPostBody(post.body);
      context.signal.throwIfAborted();
      await context.onPhase('envelope');
      return send(body, post.date, context);
    },
    lookup,
  };
}
