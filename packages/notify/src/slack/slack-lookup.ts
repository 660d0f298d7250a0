import { CriticizerError, type LookupOutcome, type PostQuery } from '@criticizer/core/ports';
import { z } from 'zod';
import { callSlack, type SlackAccess, type SlackRefusal, toForm } from './slack-api.js';

/** How long messages take to show, how far back they are searched, and how far clocks differ. Milliseconds. */
export interface SlackLookupLimits {
  settleMs: number;
  retentionMs: number;
  clockSkewMs: number;
}

/** Names the app's messages among those with metadata. */
export const slackEventType = 'criticizer_review';

/** Slack advises 200 at most; each may have 40 kB of blocks and more. */
const pageMessages = 200;
const maxPageBytes = 16_000_000;
/** 200,000 messages since the first attempt: a channel that no look-up reads to its end. */
const maxPages = 1_000;

const messageSchema = z.looseObject({
  ts: z.string().max(40),
  metadata: z
    .looseObject({ event_type: z.string().optional(), event_payload: z.record(z.string(), z.unknown()).optional() })
    .optional(),
});
const pageSchema = z.looseObject({
  messages: z.array(messageSchema),
  has_more: z.boolean().optional(),
  response_metadata: z.looseObject({ next_cursor: z.string().max(4_000).optional() }).nullish(),
});

function cannotAsk(
  access: SlackAccess,
  { word, login, retryAfterMs }: Omit<SlackRefusal, 'kind' | 'outcome'>,
): CriticizerError {
  if (login !== undefined && word !== 'missing_scope') return login;
  const isScope = word === 'missing_scope';
  const hint = isScope ? ' The app needs channels:history, and groups:history for private channels.' : '';
  return new CriticizerError(
    'CHANNEL_LOOKUP_UNAVAILABLE',
    `The channel "${access.channelId}" could not search its messages: ${word}.${hint}`,
    { category: isScope ? 'auth' : 'upstream', retryAfterMs, details: { channel: access.channelId, answer: word } },
  );
}

type Page = z.output<typeof pageSchema>;

async function readPage(
  access: SlackAccess,
  query: Parameters<typeof toForm>[0],
  signal: AbortSignal,
  call = callSlack,
): Promise<Page> {
  const answer = await call(
    access,
    'conversations.history',
    { ...toForm(query), maxAnswerBytes: maxPageBytes },
    signal,
  );
  if (answer.kind === 'refused') throw cannotAsk(access, answer);
  const page = pageSchema.safeParse(answer.data);
  if (!page.success) throw cannotAsk(access, { word: 'an answer that is not of the API' });
  return page.data;
}

function findIn({ messages }: Page, ref: string): string | undefined {
  const found = messages.find(
    ({ metadata }) => metadata?.event_type === slackEventType && metadata.event_payload?.['ref'] === ref,
  );
  return found?.ts;
}

/** Slack's timestamps are seconds with six digits. */
const toTs = (atMs: number): string => (Math.max(0, atMs) / 1_000).toFixed(6);

/**
 * Reads one message's worth of history by `call`, which proves scope and membership. Rejects as a look-up does
 * where one would, and as `call` does.
 */
export async function checkSlackHistory(
  access: SlackAccess,
  channel: string,
  signal: AbortSignal,
  call: typeof callSlack,
): Promise<void> {
  await readPage(access, { channel, limit: 1 }, signal, call);
}

/**
 * Searches a conversation for the message whose metadata has the key: every page from the first attempt, less
 * the clocks' difference, to the one without a next. Only then an absence counts, and only after the settle
 * time, since a fresh message may not show yet. Rejects with `CHANNEL_LOOKUP_UNAVAILABLE` where a scope, the
 * rate or the network keeps it from reading them all, and with `AUTH_DENIED` (parks).
 */
export async function findSlackMessage(
  access: SlackAccess,
  { settleMs, clockSkewMs }: SlackLookupLimits,
  { post, key, since, sinceDataMs, signal }: PostQuery,
): Promise<LookupOutcome> {
  const asked = {
    channel: post.target,
    oldest: toTs(since.getTime() - clockSkewMs),
    limit: pageMessages,
    include_all_metadata: true,
  };
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await readPage(access, cursor === undefined ? asked : { ...asked, cursor }, signal);
    const found = findIn(page, key);
    if (found !== undefined) return { kind: 'found', id: found };
    const next = page.response_metadata?.next_cursor;
    if (next === undefined || next === '') {
      // More without a way to it: not the end.
      if (page.has_more === true) throw cannotAsk(access, { word: 'more messages and no cursor' });
      return { kind: 'absent', conclusive: sinceDataMs >= settleMs };
    }
    if (next === cursor) throw cannotAsk(access, { word: 'the same page twice' });
    cursor = next;
  }
  throw cannotAsk(access, { word: 'more messages than are read' });
}
