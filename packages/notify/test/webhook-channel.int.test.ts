import { randomBytes } from 'node:crypto';
import { createHttpClient } from '@criticizer/core/http';
import { type FrozenPost, Secret, type SecretSource, type SendContext } from '@criticizer/core/ports';
import { channelReview, describeChannelContract } from '@criticizer/core/testing';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { startWebhookReceiver, type WebhookReceiver } from '../src/testing/webhook-receiver.js';
import { createWebhookChannel, reviewWebhookSchema, type WebhookChannelOptions } from '../src/webhook/index.js';

const version = (text: string, name: string) => ({ secret: new Secret(text), version: name });

/** It sends nothing. */
const silent = { exchange: () => Promise.reject(new TypeError('sends nothing')), close: async () => undefined };

function sourceOf(current: string, previous?: string): SecretSource {
  return {
    contract: 1,
    read: async () => ({
      current: version(current, '2'),
      ...(previous === undefined ? {} : { previous: version(previous, '1') }),
    }),
  };
}

function connect(receiver: WebhookReceiver, more: Partial<WebhookChannelOptions> = {}) {
  const http = createHttpClient({ allowPrivateOrigins: [receiver.origin] });
  const secret = { source: sourceOf(receiver.secret), name: 'WEBHOOK' };
  const channel = createWebhookChannel({ url: `${receiver.url}?token=hush-hush`, secret, http, ...more });
  return { channel, http };
}

describe('webhook channel', () => {
  describeChannelContract(
    { describe, it },
    {
      async create() {
        const receiver = await startWebhookReceiver();
        const { channel, http } = connect(receiver);
        return {
          channel,
          received: async () => receiver.received().map(({ body }) => body),
          dropAfterData: () => receiver.answerWith('lose'),
          refuseTarget: () => receiver.answerWith({ status: 410 }),
          refuseForNow: () => receiver.answerWith({ status: 429, headers: { 'retry-after': '7' } }),
          secrets: ['hush-hush', receiver.secret.replace('whsec_', '')],
          async dispose() {
            await http.close();
            await receiver.close();
          },
        };
      },
    },
  );
});

async function openScene(more: Partial<WebhookChannelOptions> = {}) {
  const receiver = await startWebhookReceiver();
  const { channel, http } = connect(receiver, more);
  const review = channelReview('webhook', 1, 'findings');
  const [planned] = await channel.plan(review, { signal: new AbortController().signal });
  if (planned === undefined) throw new Error('it plans one');
  const { target, body, content } = planned;
  const post: FrozenPost = { channel: 'webhook', target, body, content, date: review.date };
  const key = review.key(target);
  const context: SendContext = { key, signal: new AbortController().signal, onPhase: async () => undefined };
  return {
    ...{ receiver, channel, post, key },
    send: () => channel.send(post, context),
    async [Symbol.asyncDispose]() {
      await http.close();
      await receiver.close();
    },
  };
}

describe('webhook channel: the wire', () => {
  it.each<[string, object]>([
    ['required', { required: 'no' }],
    ['required', { required: 1 }],
    ['required', { required: null }],
    ['timeoutMs', { timeoutMs: 2 ** 40 }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['idsKeptMs', { idsKeptMs: 2 ** 53 - 1 }],
    ['url', { url: 'http://hooks.example.test/reviews' }],
  ])('CHN-1: refuses at once an option %s that would fail each message later: %j', (name, more) => {
    const base = { url: 'https://hooks.example.test', secret: { source: sourceOf('x'), name: 'W' }, http: silent };
    expect(() => createWebhookChannel({ ...base, ...more })).toThrow(`createWebhookChannel: ${name}: expected`);
  });

  it('CHN-1: the public package of Standard Webhooks verifies what arrives, and a changed byte not', async () => {
    await using scene = await openScene();
    expect(await scene.send()).toEqual({ kind: 'accepted', id: scene.key });
    const [one] = scene.receiver.received();
    const headers = one?.headers as Record<string, string>;
    const text = one?.body.toString() ?? '';
    const message = new Webhook(scene.receiver.secret).verify(text, headers);
    expect(reviewWebhookSchema.parse(message).data).toMatchObject({ schema_version: 1, content: 'findings' });
    expect(() => new Webhook(scene.receiver.secret).verify(text.replace('ada', 'eve'), headers)).toThrow();
  });

  it('NOT-5: a repeat has the same id and the same bytes, and a timestamp and signature of its own', async () => {
    let nowMs = Date.now();
    await using scene = await openScene({ clock: { nowMs: () => nowMs } });
    scene.receiver.answerWith('lose');
    expect(await scene.send()).toMatchObject({ kind: 'ambiguous' });
    scene.receiver.answerWith({ status: 204 });
    nowMs += 60_000;
    expect(await scene.send()).toEqual({ kind: 'accepted', id: scene.key });
    const [first, second] = scene.receiver.received();
    expect([first?.id, second?.id]).toEqual([scene.key, scene.key]);
    expect(first?.body.equals(second?.body ?? Buffer.alloc(0))).toBe(true);
    expect(first?.headers['webhook-timestamp']).not.toBe(second?.headers['webhook-timestamp']);
    expect(first?.headers['webhook-signature']).not.toBe(second?.headers['webhook-signature']);
    expect([first?.isSigned, second?.isSigned]).toEqual([true, true]);
    expect([...scene.receiver.copies()]).toEqual([[scene.key, 1]]);
  });

  it('SEC-5: during a rotation a receiver with either secret accepts', async () => {
    const fresh = `whsec_${randomBytes(32).toString('base64')}`;
    await using receiver = await startWebhookReceiver();
    const { channel, http } = connect(receiver, { secret: { source: sourceOf(fresh, receiver.secret), name: 'W' } });
    await using scene = await openScene();
    const context = { key: scene.key, signal: new AbortController().signal, onPhase: async () => undefined };
    expect(await channel.send(scene.post, context)).toMatchObject({ kind: 'accepted' });
    await http.close();
  });

  it('SEC-1: a secret of another form parks and sends nothing', async () => {
    await using scene = await openScene({ secret: { source: sourceOf('short'), name: 'WEBHOOK' } });
    await expect(scene.send()).rejects.toMatchObject({ code: 'SECRET_REJECTED', parks: true });
    expect(scene.receiver.received()).toEqual([]);
  });

  it('SSRF: an endpoint that is not allowed to be private is refused before a byte leaves, and waits', async () => {
    const http = createHttpClient();
    await using scene = await openScene({ http });
    expect(await scene.send()).toMatchObject({
      ...{ kind: 'rejected', permanent: false },
      failure: { scope: 'transport', code: 'HTTP_BLOCKED' },
    });
    expect(scene.receiver.received()).toEqual([]);
    await http.close();
  });

  it('SEC-3: takes plain http where the HTTP client was given the origin, and there alone', async () => {
    await using receiver = await startWebhookReceiver();
    const inHouse = new URL(receiver.url.replace('127.0.0.1', 'hooks.internal'));
    const resolveHost = async () => [{ address: '127.0.0.1', family: 4 }];
    const http = createHttpClient({ allowPrivateOrigins: [inHouse.origin], resolveHost });
    const secret = { source: sourceOf(receiver.secret), name: 'WEBHOOK' };
    const channel = createWebhookChannel({ url: inHouse.href, secret, http });
    await using scene = await openScene();
    const context = { key: scene.key, signal: new AbortController().signal, onPhase: async () => undefined };
    expect(await channel.send(scene.post, context)).toMatchObject({ kind: 'accepted' });
    expect(() => createWebhookChannel({ url: 'http://hooks.internal:1/', secret, http })).toThrow(
      'createWebhookChannel: url: expected an https address',
    );
    await http.close();
  });

  it('R9: an endpoint that is down is an outage; one that hangs may have taken it', async () => {
    await using scene = await openScene({ timeoutMs: 150 });
    scene.receiver.answerWith('hang');
    expect(await scene.send()).toMatchObject({ kind: 'ambiguous', failure: { code: 'NETWORK_TIMEOUT' } });
    await scene.receiver.close();
    expect(await scene.send()).toMatchObject({ kind: 'rejected', permanent: false, failure: { scope: 'transport' } });
  });
});
