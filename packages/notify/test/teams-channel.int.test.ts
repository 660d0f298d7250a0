import { Secret } from '@criticizer/core';
import { createHttpClient, type HttpClient } from '@criticizer/core/http';
import { type Channel, isHandedOver, type SendOutcome, silentLogger } from '@criticizer/core/ports';
import { channelReview, describeChannelContract } from '@criticizer/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTeamsChannel } from '../src/teams/index.js';
import { startTeamsServer, type TeamsServer } from '../src/testing/index.js';

const secretOf = (word: string) => ({
  name: 'TEAMS',
  source: { contract: 1 as const, read: async () => ({ current: { secret: new Secret(word), version: '1' } }) },
});

let server: TeamsServer;
let http: HttpClient;

async function open(): Promise<void> {
  server = await startTeamsServer();
  http = createHttpClient({ allowPrivateOrigins: [server.origin] });
}
async function end(): Promise<void> {
  await http.close();
  await server.close();
}
const connect = (url = server.workflowUrl): Channel =>
  createTeamsChannel({ url: secretOf(url), http, allowedHosts: ['127.0.0.1'] });

describeChannelContract(
  { describe, it },
  {
    async create() {
      await open();
      return {
        channel: connect(),
        received: async () => server.received,
        dropAfterData: () => server.fail('save-then-drop'),
        refuseTarget: () => server.fail(404),
        refuseForNow: () => server.fail('rate-limited'),
        secrets: [new URL(server.workflowUrl).pathname, new URL(server.workflowUrl).searchParams.get('sig') ?? ''],
        dispose: end,
      };
    },
  },
);

async function send(channel: Channel): Promise<SendOutcome> {
  const { signal } = new AbortController();
  const review = channelReview(channel.id, 1, 'findings');
  const [post] = await channel.plan(review, { signal });
  if (post === undefined) throw new TypeError('expected a post');
  const { target, body, content } = post;
  const frozen = { channel: channel.id, target, body, content, date: review.date };
  return channel.send(frozen, { signal, key: review.key(target), onPhase: async () => undefined });
}

describe('the channel to Teams', () => {
  beforeEach(open);
  afterEach(end);

  it('CHN-1: says "handed over" and names the run, also where the flow fails after its 202', async () => {
    const shown = await send(connect());
    expect(server.shown).toHaveLength(1);
    server.fail('fail-after-accept');
    const lost = await send(connect());
    expect(server.shown).toHaveLength(1);
    for (const outcome of [shown, lost]) {
      const notificationId = outcome.kind === 'accepted' ? outcome.id : null;
      expect(notificationId).toMatch(/^handed-over:[0-9A-F]{32}$/);
      expect(isHandedOver({ status: 'sent', notificationId })).toBe(true);
    }
    expect(lost).toMatchObject({ id: `handed-over:${server.failed[0]?.runId}` });
  });

  it('CHN-1: has no look-up, so a lost answer is left to the policy', () => {
    expect(connect().lookup).toBeUndefined();
    expect(connect().capabilities).toEqual({ idempotency: 'none', lookup: 'none', settleMs: 0, retentionMs: 0 });
  });

  it.each<[number | 'rate-limited', string, boolean]>([
    ['rate-limited', 'transport', false],
    [401, 'recipient', true],
    [403, 'recipient', true],
    [404, 'recipient', true],
    [410, 'recipient', true],
    [400, 'message', true],
    [413, 'message', true],
  ])('NOT-9: reads %s as the fault of the %s', async (fault, scope, permanent) => {
    server.fail(fault);
    expect(await send(connect())).toMatchObject({ kind: 'rejected', permanent, failure: { scope } });
    expect(server.received).toEqual([]);
  });

  it.each([500, 502, 503, 504, 'drop', 'save-late'] as const)(
    'NOT-7: after %s the card may be there',
    async (fault) => {
      server.fail(fault);
      expect((await send(connect())).kind).toBe('ambiguous');
    },
  );

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
    const url = secretOf(server.workflowUrl);
    const channel = createTeamsChannel({ id: 'flow', url, http, changeUrl, logger });
    const signal: AbortSignal = new AbortController().signal;
    const review = channelReview('x', 1, 'findings');
    const posts = await channel.plan(review, { signal });
    expect(posts).toEqual(await createTeamsChannel({ id: 'flow', url, http }).plan(review, { signal }));
    await channel.plan(review, { signal });
    expect(lines).toEqual([
      expect.objectContaining({ event: 'link.change_url_failed', maker: 'createTeamsChannel', channel: 'flow' }),
    ]);
  });

  it.each([
    [200, '<html>Sign in</html>'],
    [200, 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429'],
    [204, ''],
  ])('NOT-7: %s is no answer of a flow, so the card may be there: %j', async (status, body) => {
    const exchange: HttpClient['exchange'] = async () => ({ status, headers: {}, body: Buffer.from(body) });
    const url = secretOf('https://prod-1.westeurope.logic.azure.com/workflows/1?sig=abc');
    const outcome = await send(createTeamsChannel({ url, http: { exchange, close: async () => undefined } }));
    expect(outcome).toMatchObject({ kind: 'ambiguous', failure: { code: 'CHANNEL_ANSWER_LOST' } });
  });

  it('R9: waits where nothing listens', async () => {
    await server.close();
    expect(await send(connect())).toMatchObject({
      kind: 'rejected',
      permanent: false,
      failure: { scope: 'transport' },
    });
  });

  it.each([
    'https://prod-1.logic.azure.com.evil.example.test/workflows/1?sig=abc',
    'http://prod-1.westeurope.logic.azure.com/workflows/1?sig=abc',
    'https://logic.azure.com/workflows/1?sig=abc',
  ])('SEC-3: posts to no other address, and repeats none: %s', async (url) => {
    const channel = createTeamsChannel({ url: secretOf(url), http });
    await expect(channel.check({ signal: new AbortController().signal })).rejects.toThrow(/allowed host/);
    const failed = send(channel);
    await expect(failed).rejects.toMatchObject({ code: 'CHANNEL_ADDRESS_INVALID', parks: true });
    await expect(failed).rejects.not.toThrow('sig');
  });

  it.each([
    'https://prod-1.westeurope.logic.azure.com:443/workflows/1/triggers/manual/paths/invoke?sig=abc',
    'https://default1.aa.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/1?sig=abc',
  ])('posts to the hosts of flows: %s', async (url) => {
    const asked: string[] = [];
    const exchange: HttpClient['exchange'] = async (request) => {
      asked.push(request.url);
      return { status: 202, headers: {}, body: new Uint8Array() };
    };
    const channel = createTeamsChannel({ url: secretOf(url), http: { exchange, close: async () => undefined } });
    expect((await send(channel)).kind).toBe('accepted');
    expect(asked).toEqual([new URL(url).href]);
  });
});
