import { Secret, silentLogger } from '@criticizer/core';
import { createHttpClient, type HttpClient } from '@criticizer/core/http';
import type { Channel, LookupOutcome, SendOutcome } from '@criticizer/core/ports';
import { channelReview, describeChannelContract } from '@criticizer/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSlackChannel, createSlackWebhookChannel, type SlackChannelOptions } from '../src/slack/index.js';
import { type SlackServer, startSlackServer } from '../src/testing/index.js';

const room = 'C0123456789';
const tokenWord = 'a-token-of-this-test';

/** A source of one secret, with one before it. */
const secretOf = (current: string, previous?: string) => ({
  name: 'SLACK',
  source: {
    contract: 1 as const,
    read: async () => ({
      current: { secret: new Secret(current), version: '2' },
      ...(previous === undefined ? {} : { previous: { secret: new Secret(previous), version: '1' } }),
    }),
  },
});

let server: SlackServer;
let http: HttpClient;

async function open(): Promise<void> {
  server = await startSlackServer({ token: tokenWord, conversations: [room, 'C2', 'D3'] });
  http = createHttpClient({ allowPrivateOrigins: [server.origin] });
}
async function end(): Promise<void> {
  await http.close();
  await server.close();
}

const byApi = (more: Partial<SlackChannelOptions> = {}): Channel =>
  createSlackChannel({ token: secretOf(tokenWord), conversations: [room], http, url: server.apiUrl, ...more });
const byWebhook = (url = server.webhookUrl): Channel =>
  createSlackWebhookChannel({ url: secretOf(url), http, allowedHosts: ['127.0.0.1'] });

describeChannelContract(
  { describe, it },
  {
    async create() {
      await open();
      return {
        channel: byApi(),
        received: async () => server.received,
        dropAfterData: () => server.fail('save-then-drop', 'write'),
        refuseTarget: () => void server.conversations.delete(room),
        refuseForNow: () => server.fail('rate-limited', 'write'),
        breakLookup: () => void server.scopes.delete('channels:history'),
        secrets: [tokenWord],
        dispose: end,
      };
    },
  },
);

describeChannelContract(
  { describe, it },
  {
    async create() {
      await open();
      return {
        channel: byWebhook(),
        received: async () => server.received,
        dropAfterData: () => server.fail('save-then-drop', 'write'),
        refuseTarget: () => server.fail('no_service', 'write'),
        refuseForNow: () => server.fail('rate-limited', 'write'),
        secrets: [new URL(server.webhookUrl).pathname],
        dispose: end,
      };
    },
  },
);

const { signal } = new AbortController();
const context = { signal, onPhase: async () => undefined };

async function send(channel: Channel, n = 1): Promise<SendOutcome> {
  const review = channelReview(channel.id, n, 'findings');
  const [post] = await channel.plan(review, { signal });
  if (post === undefined) throw new TypeError('expected a post');
  const { target, body, content } = post;
  const frozen = { channel: channel.id, target, body, content, date: review.date };
  return channel.send(frozen, { ...context, key: review.key(target) });
}

async function lookUp(
  channel: Channel,
  n = 1,
  more: { sinceDataMs?: number; since?: Date } = {},
): Promise<LookupOutcome> {
  const review = channelReview(channel.id, n, 'findings');
  const post = { channel: channel.id, target: room, body: {}, content: 'findings' as const, date: review.date };
  const query = { post, key: review.key(room), id: null, since: new Date(), sinceDataMs: 60_000, signal, ...more };
  return channel.lookup?.(query) ?? { kind: 'absent', conclusive: false };
}

describe('the channel to Slack', () => {
  beforeEach(open);
  afterEach(end);

  it('CHN-1: carries no more than a hash of the review in its metadata, which any app may read', async () => {
    await send(byApi());
    expect(server.messages[0]?.metadata).toEqual({
      event_type: 'criticizer_review',
      event_payload: { ref: expect.stringMatching(/^[0-9a-f]{32}$/) },
    });
    expect(JSON.parse(Buffer.from(server.received[0] ?? []).toString())).toMatchObject({
      ...{ channel: room, unfurl_links: false, unfurl_media: false },
    });
  });

  it('CHN-1: finds its message on a later page of many, newest first', async () => {
    await send(byApi());
    for (let n = 2; n < 40; n++) await send(byApi(), n);
    server.pageSize = 15;
    server.calls.length = 0;
    // The stand-in, as Slack, sees no arguments of a read in JSON.
    expect(await lookUp(byApi())).toEqual({ kind: 'found', id: server.messages[0]?.ts });
    expect(server.calls).toHaveLength(3);
    expect(await lookUp(byApi(), 99)).toEqual({ kind: 'absent', conclusive: true });
  });

  it('CHN-1: a message that shows late is not taken for absent within the settle time', async () => {
    server.hideNext(1);
    server.fail('save-then-drop', 'write');
    expect((await send(byApi())).kind).toBe('ambiguous');
    expect(await lookUp(byApi(), 1, { sinceDataMs: 9_999 })).toEqual({ kind: 'absent', conclusive: false });
    expect(await lookUp(byApi(), 1, { sinceDataMs: 10_000 })).toMatchObject({ kind: 'found' });
  });

  it('CHN-1: begins the search before the first attempt by as much as clocks may differ', async () => {
    await send(byApi());
    const attempted = Number(server.messages[0]?.ts) * 1_000;
    const within = new Date(attempted + 299_000);
    expect(await lookUp(byApi(), 1, { since: within })).toMatchObject({ kind: 'found' });
    const beyond = new Date(attempted + 301_000);
    expect(await lookUp(byApi(), 1, { since: beyond })).toEqual({ kind: 'absent', conclusive: true });
  });

  it.each([
    ['missing_scope', 'CHANNEL_LOOKUP_UNAVAILABLE'],
    ['rate-limited', 'CHANNEL_LOOKUP_UNAVAILABLE'],
    ['unavailable', 'CHANNEL_LOOKUP_UNAVAILABLE'],
    ['drop', 'CHANNEL_LOOKUP_UNAVAILABLE'],
    ['not-json', 'CHANNEL_LOOKUP_UNAVAILABLE'],
    ['invalid_auth', 'AUTH_DENIED'],
  ])('CHN-1: a search that meets %s is a failed one, never an absence', async (fault, code) => {
    server.fail(fault, 'read');
    await expect(lookUp(byApi())).rejects.toMatchObject({ code });
  });

  it('CHN-1: a search that fails on its second page is a failed one', async () => {
    for (let n = 1; n < 20; n++) await send(byApi(), n);
    server.pageSize = 15;
    const channel = byApi({
      http: {
        async exchange(request, options) {
          const answer = await http.exchange(request, options);
          server.fail('rate-limited', 'read');
          return answer;
        },
        close: async () => undefined,
      },
    });
    await expect(lookUp(channel, 99)).rejects.toMatchObject({
      code: 'CHANNEL_LOOKUP_UNAVAILABLE',
      retryAfterMs: 30_000,
    });
  });

  it.each([
    ['channel_not_found', 'recipient', true],
    ['not_in_channel', 'recipient', true],
    ['is_archived', 'recipient', true],
    ['restricted_action_read_only_channel', 'recipient', true],
    ['invalid_blocks', 'message', true],
    ['msg_blocks_too_long', 'message', true],
    ['no_text', 'message', true],
    ['metadata_too_large', 'message', true],
    ['a_word_of_next_year', 'message', false],
    ['rate-limited', 'transport', false],
    ['ratelimited', 'transport', false],
    ['request_timeout', 'transport', false],
  ])('NOT-9: reads %s as the fault of the %s', async (fault, scope, permanent) => {
    server.fail(fault, 'write');
    expect(await send(byApi())).toMatchObject({ kind: 'rejected', permanent, failure: { scope } });
    expect(server.messages).toEqual([]);
  });

  it.each([
    'fatal_error',
    'internal_error',
    'service_unavailable',
    'unavailable',
    'broken',
    'not-json',
    'drop',
    'save-late',
  ])('NOT-7: after %s the message may be there', async (fault) => {
    server.fail(fault, 'write');
    expect((await send(byApi())).kind).toBe('ambiguous');
  });

  it.each(['invalid_auth', 'token_revoked', 'token_expired', 'account_inactive', 'missing_scope'])(
    'R9: parks where Slack says %s',
    async (fault) => {
      server.fail(fault, 'write');
      await expect(send(byApi())).rejects.toMatchObject({ code: 'AUTH_DENIED', parks: true });
    },
  );

  it('SEC-5: posts with the token before, where the current one is not taken yet', async () => {
    expect((await send(byApi({ token: secretOf('a-newer-token', tokenWord) }))).kind).toBe('accepted');
    expect(server.messages).toHaveLength(1);
  });

  it('R9: waits where nothing listens', async () => {
    await server.close();
    expect(await send(byApi())).toMatchObject({ kind: 'rejected', permanent: false, failure: { scope: 'transport' } });
  });

  it.each([
    ['no address', () => 'not a url'],
    ['a script', () => 'javascript:alert(1)'],
    ['a number', () => Object(5)],
    ['a promise', () => Object(Promise.reject(new TypeError('late')))],
    [
      'an error',
      () => {
        throw new TypeError('boom');
      },
    ],
    ['a link of 2,001 characters', () => `https://swarm.example.test/${'x'.repeat(1_974)}`],
  ])('CHN-1: posts without the link, and logs once, where the function of links gives %s', async (_what, changeUrl) => {
    const lines: object[] = [];
    const logger = { ...silentLogger, warn: (fields: object) => void lines.push(fields) };
    const channel = byApi({ id: 'team', conversations: [room, 'C2'], changeUrl, logger });
    const review = channelReview('x', 1, 'findings');
    const posts = await channel.plan(review, { signal });
    expect(posts).toEqual(await byApi({ conversations: [room, 'C2'] }).plan(review, { signal }));
    await channel.plan(review, { signal });
    expect(lines).toEqual([
      expect.objectContaining({ event: 'link.change_url_failed', maker: 'createSlackChannel', channel: 'team' }),
    ]);
  });

  it('CHN-1: a check asks a few conversations at a time, and every one', async () => {
    const asked: string[] = [];
    let now = 0;
    let most = 0;
    const exchange: HttpClient['exchange'] = async ({ body }) => {
      most = Math.max(most, ++now);
      asked.push(new URLSearchParams(Buffer.from(body ?? '').toString()).get('channel') ?? 'login');
      await new Promise(setImmediate);
      now--;
      return { status: 200, headers: {}, body: Buffer.from('{"ok":true,"messages":[],"has_more":false}') };
    };
    const conversations = Array.from({ length: 20 }, (_, n) => `C${n}`);
    const client = { exchange, close: async () => undefined };
    await createSlackChannel({ token: secretOf(tokenWord), conversations, http: client }).check({
      signal: new AbortController().signal,
    });
    expect(asked).toEqual(['login', ...conversations]);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(10);
  });

  it('SEC-3: takes no plain http to another machine', () => {
    expect(() => byApi({ url: 'http://slack.example.test/api' })).toThrow(
      /createSlackChannel: .*url: expected an https/,
    );
    expect(() => byApi({ url: 'http://[::1]:8080/api' })).not.toThrow();
  });

  it('CHN-1: a check posts nothing, and says of token, scope and place what is wrong', async () => {
    const channel = createSlackChannel({ token: secretOf(tokenWord), conversations: [room], http, url: server.apiUrl });
    await channel.check({ signal });
    expect(server.calls).toEqual(['auth.test', 'conversations.history']);
    expect(server.messages).toEqual([]);
    server.conversations.delete(room);
    await expect(channel.check({ signal })).rejects.toThrow(/channel_not_found/);
    server.scopes.delete('channels:history');
    await expect(channel.check({ signal })).rejects.toMatchObject({ code: 'CHANNEL_LOOKUP_UNAVAILABLE' });
    const expired = createSlackChannel({
      ...{ token: secretOf('another'), conversations: [room], http, url: server.apiUrl },
    });
    await expect(expired.check({ signal })).rejects.toMatchObject({ code: 'AUTH_DENIED' });
  });

  describe('a check that Slack limits', () => {
    /** Slack answers its calls so in their order, each a wait in seconds or yes; time passes in sleeps alone. */
    const scene = (...answersInOrder: (number | 'yes')[]) => {
      const slept: number[] = [];
      const left = [...answersInOrder];
      const inSleep: (() => void)[] = [];
      let nowMs = 0;
      const exchange: HttpClient['exchange'] = async () => {
        const next = left.shift();
        if (next === 'yes') return { status: 200, headers: {}, body: Buffer.from('{"ok":true,"messages":[]}') };
        return { status: 429, headers: { 'retry-after': String(next) }, body: Buffer.from('{"ok":false}') };
      };
      const sleep = async (ms: number, abort?: AbortSignal) => {
        slept.push(ms);
        inSleep.shift()?.();
        abort?.throwIfAborted();
        nowMs += ms;
      };
      const client = { exchange, close: async () => undefined };
      const clock = { nowMs: () => nowMs, sleep };
      const channel = createSlackChannel({ token: secretOf(tokenWord), conversations: [room], http: client, clock });
      return { slept, left, inSleep, channel };
    };

    it('CHN-1: waits for the limit once for each call, within 10 s', async () => {
      const { channel, slept, left } = scene(3, 'yes', 7, 'yes');
      await channel.check({ signal });
      expect(slept).toEqual([3_000, 7_000]);
      expect(left).toEqual([]);
    });

    it.each<[string, (number | 'yes')[], number[], number]>([
      ['a longer limit', [30], [], 30],
      ['a second limit', [2, 5], [2_000], 5],
      ['limits that are longer together', [6, 'yes', 6], [6_000], 6],
    ])('CHN-1: says when to check again, after %s', async (_, answersInOrder, waits, seconds) => {
      const { channel, slept } = scene(...answersInOrder);
      await expect(channel.check({ signal })).rejects.toMatchObject({
        ...{ code: 'RATE_LIMITED', retryAfterMs: seconds * 1_000 },
        message: `Slack limits the calls of the channel "slack". Check again in ${seconds} s.`,
      });
      expect(slept).toEqual(waits);
    });

    it('CHN-1: says so, too, where the time of the check is over in the wait', async () => {
      const ended = new AbortController();
      const limitedOnce = scene(5, 'yes', 'yes');
      limitedOnce.inSleep.push(() => ended.abort());
      const checked = limitedOnce.channel.check({ signal: ended.signal });
      await expect(checked).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 5_000 });
      expect(limitedOnce.left).toEqual(['yes', 'yes']);
    });
  });

  it('posts into each conversation', async () => {
    const channel = byApi({ conversations: [room, 'C2', 'D3'] });
    const posts = await channel.plan(channelReview('slack', 1, 'counts'), { signal });
    expect(posts.map(({ target }) => target)).toEqual([room, 'C2', 'D3']);
  });

  it('CHN-1: says of a webhook, and of an app without the scope, that nothing can be looked up', () => {
    const none = { idempotency: 'none', lookup: 'none', settleMs: 0, retentionMs: 0 };
    for (const channel of [byWebhook(), byApi({ lookup: false })]) {
      expect(channel.capabilities).toEqual(none);
      expect(channel.lookup).toBeUndefined();
    }
  });

  it.each([
    ['no_service', 'recipient'],
    ['channel_is_archived', 'recipient'],
    ['rate-limited', 'transport'],
  ])('NOT-9: reads %s of a webhook as the fault of the %s', async (fault, scope) => {
    server.fail(fault, 'write');
    expect(await send(byWebhook())).toMatchObject({ kind: 'rejected', failure: { scope } });
  });

  it.each(['broken', 'not-json', 'drop'])('NOT-7: after %s of a webhook the message may be there', async (fault) => {
    server.fail(fault, 'write');
    expect((await send(byWebhook())).kind).toBe('ambiguous');
  });

  it.each(['https://evil.example.test/services/T/B/x', 'http://hooks.slack.com/services/T/B/x', 'no address'])(
    'SEC-3: posts to no other address, and repeats none: %s',
    async (url) => {
      const channel = createSlackWebhookChannel({ url: secretOf(url), http });
      const failed = send(channel);
      await expect(failed).rejects.toMatchObject({ code: 'CHANNEL_ADDRESS_INVALID', parks: true });
      await expect(failed).rejects.not.toThrow(url);
    },
  );
});
