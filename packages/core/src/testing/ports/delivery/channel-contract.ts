import assert from 'node:assert/strict';
import type { FrozenPost } from '../../../outbox/frozen/frozen-post.js';
import type { LookupOutcome, SendOutcome } from '../../../outbox/senders/mailer.js';
import type { Channel, ChannelReview, PlannedPost } from '../../../stages/notify/channel.js';
import { defaultDeadlineMs, expectWithin } from '../../support/case-deadline.js';
import { type CaseOn, contractCases } from '../../support/contract-cases.js';
import type { Runner } from '../../support/runner.js';
import { channelReview } from './channel-samples.js';
import { recording } from './mailer-samples.js';
import { assertSendOutcome } from './mailer-under-deadline.js';

/** A channel and the far end it talks to. */
export interface ChannelUnderTest {
  channel: Channel;
  /** The body of every message that the far end took, as it got it, oldest first. */
  received(): Promise<readonly Uint8Array[]>;
  /** From now on the far end takes each message and its answer is lost. Left out where none can be lost. */
  dropAfterData?(): void | Promise<void>;
  /** From now on the far end refuses the place that posts go to, for good. */
  refuseTarget?(): void | Promise<void>;
  /** From now on the far end answers 429 or its like, and says how long to wait. */
  refuseForNow?(): void | Promise<void>;
  /** From now on look-ups cannot be answered. */
  breakLookup?(): void | Promise<void>;
  /** What no outcome and no error may hold: tokens, secret parts of URLs. */
  secrets: readonly string[];
  dispose(): Promise<void>;
}

/** Makes a channel and its server for each case. */
export interface ChannelHarness {
  /** A fresh far end for each test. */
  create(): Promise<ChannelUnderTest>;
  /** How long one call of the channel may take, in milliseconds. Default 4,000. */
  deadlineMs?: number | undefined;
}

interface Sample {
  post: FrozenPost;
  key: string;
}

async function plan(channel: Channel, review: ChannelReview): Promise<readonly PlannedPost[]> {
  return channel.plan(review, { signal: new AbortController().signal });
}

/** The first post that the channel plans of the n-th change. */
async function postNumber(channel: Channel, n: number): Promise<Sample> {
  const review = channelReview(channel.id, n, 'findings');
  const [planned] = await plan(channel, review);
  assert.ok(planned, 'expected a post of a review with findings');
  const { target, body, content } = planned;
  return { post: { channel: channel.id, target, body, content, date: review.date }, key: review.key(target) };
}

async function send(channel: Channel, { post, key }: Sample): Promise<SendOutcome> {
  const outcome = await channel.send(post, recording(key).context);
  assertSendOutcome(outcome);
  return outcome;
}

async function lookUp(channel: Channel, sample: Sample, sinceDataMs: number): Promise<LookupOutcome> {
  assert.ok(channel.lookup, 'a channel that declares look-up must have it');
  const since = new Date(Date.now() - 86_400_000);
  const { signal } = new AbortController();
  return channel.lookup({ ...sample, id: null, since, sinceDataMs, signal });
}

type Case = CaseOn<ChannelUnderTest>;

function describePlanning(it: Case): void {
  for (const level of ['counts', 'findings', 'code'] as const)
    it(`R21: at level ${level} it plans posts of one target each, with no more than that`, async ({ channel }) => {
      const review = channelReview(channel.id, 1, level);
      const posts = await plan(channel, review);
      assert.ok(posts.length > 0);
      assert.equal(new Set(posts.map(({ target }) => target)).size, posts.length);
      const text = JSON.stringify(posts);
      const levels = { none: 0, counts: 1, findings: 2, code: 3 };
      assert.ok(posts.every(({ content }) => levels[content] <= levels[level]));
      const { counts } = channelReview(channel.id, 1, 'counts');
      assert.ok(text.includes(String(counts.change.number)), 'expected the number of the change');
      if (level !== 'counts') return;
      for (const said of ['A title', 'secret-plan', '//depot/secret-plan.ts', 'ada.lovelace'])
        assert.ok(!text.includes(said), `expected counts alone, found ${said}`);
    });
  it('NOT-5: the same review gives the same plan', async ({ channel }) => {
    const review = channelReview(channel.id, 1, 'findings');
    assert.deepEqual(await plan(channel, review), await plan(channel, review));
  });
}

function describeSending(it: Case): void {
  it('NOT-5: accepts a post, gives an id, and the far end has it once', async ({ channel, received }) => {
    const outcome = await send(channel, await postNumber(channel, 1));
    assert.ok(outcome.kind === 'accepted' && outcome.id.length > 0, JSON.stringify(outcome));
    assert.equal((await received()).length, 1);
  });
  it('EGR-1: announces the data phase once, with the bytes that the far end gets', async ({ channel, received }) => {
    const { post, key } = await postNumber(channel, 1);
    const { phases, announced, context } = recording(key);
    await channel.send(post, context);
    assert.deepEqual(
      phases.filter((phase) => phase === 'data'),
      ['data'],
    );
    assert.equal(announced.length, 1);
    if (channel.host !== undefined) assert.equal(announced[0]?.host, channel.host);
    assert.deepEqual(Buffer.from(announced[0]?.bytes ?? []), Buffer.from((await received())[0] ?? []));
  });
  it('R6: a rejection of the data phase stops the send before any byte leaves, and comes out as it is', async ({
    channel,
    received,
  }) => {
    const reason = new Error('not recorded');
    const { post, key } = await postNumber(channel, 1);
    const { context } = recording(key, { phase: 'data', reason });
    await assert.rejects(channel.send(post, context), (error) => error === reason);
    assert.deepEqual(await received(), []);
    assert.equal((await send(channel, await postNumber(channel, 2))).kind, 'accepted');
  });
  it('an abort before data sends nothing', async ({ channel, received }) => {
    const { post, key } = await postNumber(channel, 1);
    const controller = new AbortController();
    controller.abort(new Error('stop'));
    await assert.rejects(channel.send(post, { ...recording(key).context, signal: controller.signal }));
    assert.deepEqual(await received(), []);
  });
  it('close is idempotent', async ({ channel }) => {
    await channel.close?.();
    await channel.close?.();
  });
}

function assertNoSecret(value: unknown, secrets: readonly string[]): void {
  const text = value instanceof Error ? `${value.stack}${JSON.stringify(value)}` : JSON.stringify(value);
  for (const secret of secrets) assert.ok(!text.includes(secret), 'expected no secret in an outcome or error');
}

function describeFaults(it: Case): void {
  it('NOT-7: a lost answer is ambiguous, never a clear no, and names no secret', async (under) => {
    if (under.dropAfterData === undefined) return;
    const sample = await postNumber(under.channel, 1);
    await under.dropAfterData();
    const outcome = await send(under.channel, sample);
    assert.equal(outcome.kind, 'ambiguous');
    assertNoSecret(outcome, under.secrets);
    assert.equal((await under.received()).length, 1);
  });
  it('NOT-9: a refused place is the fault of the recipient, for good', async (under) => {
    if (under.refuseTarget === undefined) return;
    const sample = await postNumber(under.channel, 1);
    await under.refuseTarget();
    const outcome = await send(under.channel, sample);
    assert.ok(outcome.kind === 'rejected' && outcome.permanent, JSON.stringify(outcome));
    assert.equal(outcome.failure.scope, 'recipient');
    assertNoSecret(outcome, under.secrets);
  });
  it('R9: a limit is an outage of the transport that says how long it lasts', async (under) => {
    if (under.refuseForNow === undefined) return;
    const sample = await postNumber(under.channel, 1);
    await under.refuseForNow();
    const outcome = await send(under.channel, sample);
    assert.ok(outcome.kind === 'rejected' && !outcome.permanent, JSON.stringify(outcome));
    assert.equal(outcome.failure.scope, 'transport');
    assert.ok((outcome.retryAfterMs ?? 0) > 0);
    assertNoSecret(outcome, under.secrets);
  });
}

function describeLookup(it: Case): void {
  it('NOT-7: what was taken is found, also where its answer was lost; what was not is absent', async (under) => {
    const { channel } = under;
    const { lookup, settleMs } = channel.capabilities;
    if (lookup !== 'key') return;
    const [taken, lost, never] = [
      await postNumber(channel, 1),
      await postNumber(channel, 2),
      await postNumber(channel, 3),
    ];
    assert.equal((await send(channel, taken)).kind, 'accepted');
    await under.dropAfterData?.();
    await send(channel, lost);
    assert.equal((await lookUp(channel, taken, settleMs)).kind, 'found');
    assert.equal((await lookUp(channel, lost, settleMs)).kind, 'found');
    assert.deepEqual(await lookUp(channel, never, settleMs), { kind: 'absent', conclusive: true });
    if (settleMs > 0)
      assert.deepEqual(await lookUp(channel, never, settleMs - 1), { kind: 'absent', conclusive: false });
  });
  it('NOT-7: a look-up that could not look proves nothing', async (under) => {
    const { channel } = under;
    if (channel.capabilities.lookup !== 'key' || under.breakLookup === undefined) return;
    const never = await postNumber(channel, 3);
    await under.breakLookup();
    const found = await lookUp(channel, never, channel.capabilities.settleMs).catch((error: unknown) => {
      if (error instanceof assert.AssertionError) throw error;
      assertNoSecret(error, under.secrets);
      return undefined;
    });
    assert.ok(
      !(found?.kind === 'absent' && found.conclusive),
      'expected no conclusive absence: it would be sent again',
    );
  });
}

/** Each call of the channel must settle in time. */
function underDeadline(channel: Channel, ms: number): Channel {
  const { lookup } = channel;
  return {
    ...channel,
    plan: (...args) => expectWithin(ms, 'plan() to settle', channel.plan(...args)),
    send: (...args) => expectWithin(ms, 'send() to settle', channel.send(...args)),
    ...(lookup && { lookup: (query) => expectWithin(ms, 'lookup() to settle', lookup.call(channel, query)) }),
  };
}

/**
 * What every `Channel` must do: plan within its content level, the data phase before any byte, whole and
 * clear outcomes for whatever a server answers, honest look-ups, no secret in an error. Faults that a
 * harness cannot make are left out of its run.
 */
export function describeChannelContract(runner: Runner, harness: ChannelHarness): void {
  const cases = contractCases(runner, harness);
  const it: Case = (title, body) =>
    cases(title, async (given) => {
      const channel = underDeadline(given.channel, harness.deadlineMs ?? defaultDeadlineMs);
      try {
        await body({ ...given, channel });
      } finally {
        await channel.close?.();
      }
    });
  runner.describe('Channel contract', () => {
    describePlanning(it);
    describeSending(it);
    describeFaults(it);
    describeLookup(it);
  });
}
