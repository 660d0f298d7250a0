import { createHash } from 'node:crypto';
import { createHttpClient } from '@criticizer/core/http';
import {
  type Channel,
  type ChannelReview,
  type EarlierPost,
  type FrozenPost,
  Secret,
  type SendOutcome,
} from '@criticizer/core/ports';
import { channelReview } from '@criticizer/core/testing';
import {
  type CodeReviewChannelOptions,
  createCodeReviewChannel,
  createCodeReviewClient,
} from '../src/p4-code-review/index.js';
import { type CodeReviewServer, startCodeReviewServer } from '../src/testing/index.js';

/** The change of `channelReview(…, 1, …)`. */
export const judgedChange = 4_712;
export const codeFile = '//depot/secret-plan.ts';

/** A channel on a local server, where each version of a review has the digest `digest-1` until a test says else. */
export async function startCodeReview(options: Partial<CodeReviewChannelOptions> = {}) {
  const server: CodeReviewServer = await startCodeReviewServer({
    users: { crz: 'a-ticket', ada: 'b-ticket', everyone: 'c-ticket' },
  });
  const http = createHttpClient({ allowPrivateOrigins: [server.origin] });
  const current = { secret: new Secret('a-ticket'), version: '1' };
  const client = createCodeReviewClient({
    url: server.origin,
    user: 'crz',
    ticket: { source: { contract: 1, read: async () => ({ current }) }, name: 'TICKET' },
    http,
    requestTimeoutMs: 5_000,
  });
  const digests = new Map<number, string>();
  const channel = createCodeReviewChannel({
    client,
    serverId: 'main',
    requestLimitMs: 60_000,
    readContentDigest: async (change) => digests.get(change) ?? 'digest-1',
    ...options,
  });
  return {
    ...{ server, client, channel, digests },
    async dispose() {
      await http.close();
      await server.close();
    },
  };
}

/** Delivers versions of one review as an outbox does, without one. */
export function createDelivery(channel: Channel) {
  const rows: EarlierPost[] = [];
  const sent: { post: FrozenPost; row: EarlierPost }[] = [];
  const signal: AbortSignal = new AbortController().signal;
  const context = (key: string) => ({ key, signal, onPhase: async () => {} });
  return {
    rows,
    signal,
    context,
    /** Sends again what of a version was not accepted. */
    async resend(reviewVersion: number) {
      for (const { post, row } of sent.filter(
        ({ row: { reviewVersion: of, id } }) => of === reviewVersion && id === null,
      )) {
        const outcome = await channel.send(post, context(row.key));
        if (outcome.kind === 'accepted') row.id = outcome.id;
      }
    },
    /** Plans and sends a version; a row whose outcome is no acceptance keeps no id. */
    async deliver(reviewVersion: number, more: Partial<ChannelReview> = {}) {
      const plain = channelReview(channel.id, 1, 'code');
      const key = (target: string): string =>
        createHash('sha256').update(`${reviewVersion} ${target}`).digest('hex').slice(0, 32);
      const earlier = rows.toReversed().filter((row) => row.reviewVersion < reviewVersion);
      const review: ChannelReview = { ...plain, reviewVersion, earlier, key, ...more };
      const posts = await channel.plan(review, { signal });
      const outcomes: SendOutcome[] = [];
      for (const { target, body, content } of posts) {
        const post = { channel: channel.id, target, body, content, date: review.date };
        const outcome = await channel.send(post, context(key(target)));
        outcomes.push(outcome);
        const row = { target, reviewVersion, key: key(target), id: outcome.kind === 'accepted' ? outcome.id : null };
        rows.push(row);
        sent.push({ post, row });
      }
      return { review, posts, outcomes };
    },
  };
}
