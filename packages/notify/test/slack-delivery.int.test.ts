// Posts to Slack through the outbox, whose rows decide: what becomes of lost answers.
import { createMemoryStores, Secret } from '@criticizer/core';
import { createHttpClient, type HttpClient } from '@criticizer/core/http';
import { type DeliverySettings, defaultDeliverySettings, deliverRow, postSender } from '@criticizer/core/internal';
import { type Channel, encodeFrozenPost, type OutboxRow } from '@criticizer/core/ports';
import { channelReview, createManualClock } from '@criticizer/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSlackChannel, createSlackWebhookChannel } from '../src/slack/index.js';
import { type SlackServer, startSlackServer } from '../src/testing/index.js';

const word = 'a-token-of-this-test';
const { signal } = new AbortController();
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

let server: SlackServer;
let http: HttpClient;

beforeEach(async () => {
  server = await startSlackServer({ token: word });
  http = createHttpClient({ allowPrivateOrigins: [server.origin] });
});
afterEach(async () => {
  await http.close();
  await server.close();
});

const secretOf = (value: string) => ({
  name: 'SLACK',
  source: { contract: 1 as const, read: async () => ({ current: { secret: new Secret(value), version: '1' } }) },
});
const byApp = (): Channel =>
  createSlackChannel({ token: secretOf(word), conversations: ['C0123456789'], http, url: server.apiUrl });
const byWebhook = (): Channel =>
  createSlackWebhookChannel({ url: secretOf(server.webhookUrl), http, allowedHosts: ['127.0.0.1'] });

/** One row of the outbox, and the steps of a worker on it; the store's clock shows what the machine's does. */
async function openRow(channel: Channel, settings: Partial<DeliverySettings> = {}) {
  const clock = createManualClock(Date.now());
  const stores = createMemoryStores({ clock });
  const review = channelReview(channel.id, 1, 'findings');
  const [planned] = await channel.plan(review, { signal });
  if (planned === undefined) throw new TypeError('expected a post');
  const { target, body, content } = planned;
  const frozen = encodeFrozenPost({ channel: channel.id, target, body, content, date: review.date });
  const recipient = `${channel.id}:${target}`;
  const { changelistId, reviewVersion } = review;
  await stores.outbox.add([
    {
      ...{ changelistId, reviewVersion, recipient, recipientKey: recipient, key: review.key(target) },
      ...{ required: true, via: channel.id, jobId: null, messageArtifactId: 'frozen', messageSha256: frozen.sha256 },
    },
  ]);
  const read = async (): Promise<OutboxRow> => {
    const [row] = await stores.outbox.list({});
    if (row === undefined) throw new TypeError('expected the row');
    return row;
  };

  /** Waits until the row is due, by its clock, and works on it once. */
  async function step(): Promise<string> {
    const { nextAttemptAt } = await read();
    await clock.advance(Math.max(0, nextAttemptAt.getTime() - clock.nowMs()));
    const request = { owner: 'w', token: String(clock.nowMs()), leaseMs: 60_000, limit: 1, via: [channel.id] };
    const [claimed] = await stores.outbox.claim({ ...request, purpose: 'deliver' });
    if (claimed === undefined) return 'nothing due';
    const { outcome } = await deliverRow({
      ...{ ...claimed, outbox: stores.outbox, sender: postSender(channel), outbound: null, clock, signal },
      ...{ settings: { ...defaultDeliverySettings, ...settings }, storeNow: () => stores.now(), logger: quiet },
      vault: { load: async () => frozen.bytes },
    });
    return outcome;
  }
  /** Works on the row until it waits for nobody, at most so many times. */
  async function work(most: number): Promise<string[]> {
    const outcomes: string[] = [];
    while (outcomes.length < most && ['pending', 'sending'].includes((await read()).status))
      outcomes.push(await step());
    return outcomes;
  }
  return { read, step, work };
}

describe('posts to Slack through the outbox', () => {
  it('CHN-1: a lost answer is cleared up by the look-up: one message', async () => {
    const row = await openRow(byApp());
    server.fail('save-then-drop', 'write');
    const outcomes = await row.work(10);
    expect(outcomes.at(-1)).toBe('recovered');
    expect(server.messages).toHaveLength(1);
    expect(await row.read()).toMatchObject({ status: 'sent', notificationId: server.messages[0]?.ts });
  });

  it('CHN-1: a message that shows only after the settle time is posted again, and its row says so', async () => {
    const row = await openRow(byApp());
    server.hideNext(1);
    server.fail('save-then-drop', 'write');
    expect((await row.work(10)).at(-1)).toBe('sent');
    expect(server.messages).toHaveLength(2);
    expect(await row.read()).toMatchObject({ status: 'sent', possibleDuplicate: true });
  });

  it('CHN-1: what was never taken is posted once more, and its row is flagged', async () => {
    const row = await openRow(byApp());
    server.fail('drop', 'write');
    expect((await row.work(10)).at(-1)).toBe('sent');
    expect(server.messages).toHaveLength(1);
    expect(await row.read()).toMatchObject({ status: 'sent', possibleDuplicate: true });
  });

  it.each(['scope', 'rate'])('CHN-1: while the search fails for its %s nothing is posted again', async (what) => {
    const row = await openRow(byApp());
    server.fail('save-then-drop', 'write');
    if (what === 'scope') server.scopes.delete('channels:history');
    else server.fail('rate-limited', 'read', 20);
    expect(new Set(await row.work(8))).toEqual(new Set(['waiting']));
    expect([server.messages.length, (await row.read()).status]).toEqual([1, 'pending']);
    server.scopes.add('channels:history');
    expect((await row.work(30)).at(-1)).toBe('recovered');
    expect(server.messages).toHaveLength(1);
  });

  it.each(['resend', 'hold'] as const)('CHN-1: a webhook cannot look: by %s', async (ambiguity) => {
    const row = await openRow(byWebhook(), { ambiguity });
    server.fail('save-then-drop', 'write');
    await row.work(10);
    expect(server.messages).toHaveLength(ambiguity === 'resend' ? 2 : 1);
    expect(await row.read()).toMatchObject(
      ambiguity === 'resend' ? { status: 'sent', possibleDuplicate: true } : { status: 'unknown' },
    );
  });

  it('R9: a refused token spends no attempt, and the post goes out once it is mended', async () => {
    const row = await openRow(byApp());
    server.fail('token_revoked', 'write', 7);
    expect(new Set(await row.work(7))).toEqual(new Set(['waiting']));
    expect((await row.read()).attempts).toBe(0);
    expect(await row.work(1)).toEqual(['sent']);
  });
});
