import assert from 'node:assert/strict';
import { answerFromError } from '../../../audit/delivery/send-once.js';
import type { AuditSink, SinkAnswer, SinkContext, SinkFailure } from '../../../audit/sinks/audit-sink.js';
import { defaultDeadlineMs, expectWithin } from '../../support/case-deadline.js';
import { type CaseOn, contractCases, describeScenes, type HeldScene } from '../../support/contract-cases.js';
import type { Runner } from '../../support/runner.js';
import { type AuditSinkHarness, type AuditSinkUnderTest, eventNumber, type SinkScene } from './audit-sink-scenes.js';

/** Polls of one receipt, at most: a sink that is never confirmed must not hang the suite. */
const mostPolls = 50;

function contextFor(key: string, signal = new AbortController().signal): SinkContext {
  return { idempotencyKey: key, signal };
}

/** What a sink answered, or the answer that its error amounts to. */
function answerWithin(ms: number, work: Promise<SinkAnswer>): Promise<SinkAnswer> {
  const answered = work.catch((error: unknown) => answerFromError(error, Date.now()));
  return expectWithin(ms, 'send() to settle', answered);
}

/** Sends the n-th event and, where the sink says `accepted`, polls until the far end has confirmed. */
async function deliver(sink: AuditSink, n: number, ms: number): Promise<SinkAnswer> {
  const { event, key } = eventNumber(n);
  let answer = await answerWithin(ms, sink.send(event, contextFor(key)));
  for (let polls = 0; answer.kind === 'accepted'; polls++) {
    assert.ok(sink.poll !== undefined, 'a sink that answers accepted must have poll()');
    assert.ok(polls < mostPolls, `expected a confirmation within ${mostPolls} polls`);
    assert.ok(answer.pollAfterMs > 0, 'expected pollAfterMs above 0');
    answer = await answerWithin(ms, sink.poll(answer.receipt, contextFor(key)));
  }
  return answer;
}

/** The failure of an answer that is one. Holds what every failure promises an operator. */
function failureOf(answer: SinkAnswer, kinds: readonly SinkAnswer['kind'][]): SinkFailure {
  assert.ok(kinds.includes(answer.kind), `expected ${kinds.join(' or ')}, got ${JSON.stringify(answer)}`);
  assert.ok('failure' in answer, 'expected a failure');
  const { failure } = answer;
  assert.match(failure.code, /^[A-Z][A-Z0-9_]{1,63}$/, 'expected failure.code to be a code');
  assert.ok(
    failure.message.length > 0 && Buffer.byteLength(failure.message) <= 1_024,
    'expected failure.message to be a sentence of at most 1,024 bytes',
  );
  const told = JSON.stringify(failure);
  for (const quoted of ['grace', 'ada@example.test', 'yyyy'])
    assert.ok(!told.includes(quoted), 'expected a failure that quotes nothing of the event');
  return failure;
}

type Case = CaseOn<AuditSinkUnderTest>;

/** What happens where the far end takes events. */
function describeTaking(it: Case, ms: number): void {
  it('AUD-4: the far end has the event once, under its key, with its id, action and time', async (given) => {
    const { event, key } = eventNumber(1);
    assert.equal((await deliver(given.sink, 1, ms)).kind, 'delivered');
    assert.deepEqual(await given.received(), [
      { key, eventId: event.id, occurredAtMs: event.occurredAt.getTime(), action: event.action },
    ]);
  });
  it('AUD-15: a repeat carries the same key, another event another one', async ({ sink, received }) => {
    for (const n of [1, 1, 2]) assert.equal((await deliver(sink, n, ms)).kind, 'delivered');
    const keys = (await received()).map(({ key }) => key);
    assert.deepEqual([...new Set(keys)], [eventNumber(1).key, eventNumber(2).key]);
  });
  it('AUD-4: of many events at once each arrives, and each gets its own answer', async ({ sink, received }) => {
    const numbers = Array.from({ length: 20 }, (_, n) => n);
    const answers = await Promise.all(numbers.map((n) => deliver(sink, n, ms)));
    assert.deepEqual(
      answers.map(({ kind }) => kind),
      numbers.map(() => 'delivered'),
    );
    const got = (await received()).map(({ key, eventId }) => `${key} ${eventId}`);
    const wanted = numbers.map(eventNumber).map(({ key, event }) => `${key} ${event.id}`);
    assert.deepEqual(got.sort(), wanted.sort());
  });
  it('AUD-4: an aborted signal sends nothing', async ({ sink, received }) => {
    const { event, key } = eventNumber(1);
    const aborted = AbortSignal.abort(new Error('stop'));
    const sent = sink.send(event, contextFor(key, aborted)).then(
      ({ kind }) => kind,
      () => 'rejected',
    );
    assert.notEqual(await expectWithin(ms, 'send() to settle', sent), 'delivered');
    assert.deepEqual(await received(), []);
  });
}

/** One case for each scene in which the far end does not simply take the event. */
const scenes: Readonly<Record<Exclude<SinkScene, 'takes'>, HeldScene<AuditSinkUnderTest>>> = {
  'loses-reply': {
    title: 'AUD-15: a lost reply is retried, and the repeat goes under the same key',
    async hold({ sink, play, received }, ms) {
      const failure = failureOf(await deliver(sink, 1, ms), ['retry']);
      assert.equal(failure.about, 'destination');
      await play('takes');
      assert.equal((await deliver(sink, 1, ms)).kind, 'delivered');
      const got = await received();
      assert.ok(got.length >= 1, 'expected the far end to have the event');
      assert.deepEqual([...new Set(got.map(({ key }) => key))], [eventNumber(1).key]);
    },
  },
  'knows-key': {
    title: 'AUD-15: the far end’s word that it has the key is success',
    async hold({ sink }, ms) {
      assert.equal((await deliver(sink, 1, ms)).kind, 'delivered');
    },
  },
  'rate-limits': {
    title: 'AUD-13: 429 is retried, not before Retry-After',
    async hold({ sink, received }, ms) {
      const answer = await deliver(sink, 1, ms);
      assert.equal(failureOf(answer, ['retry']).about, 'destination');
      assert.ok(answer.kind === 'retry');
      const { retryAfterMs = 0 } = answer;
      assert.ok(retryAfterMs > 5_000 && retryAfterMs <= 7_000, `expected about 7,000 ms, got ${retryAfterMs}`);
      assert.deepEqual(await received(), []);
    },
  },
  fails: {
    title: 'AUD-13: 5xx is retried, and blames the destination',
    async hold({ sink, play, received }, ms) {
      assert.equal(failureOf(await deliver(sink, 1, ms), ['retry']).about, 'destination');
      await play('takes');
      assert.equal((await deliver(sink, 1, ms)).kind, 'delivered');
      assert.equal((await received()).length, 1);
    },
  },
  'refuses-event': {
    title: 'AUD-13: a refused event is no success and no retry, and blames the event',
    async hold({ sink }, ms) {
      assert.equal(failureOf(await deliver(sink, 1, ms), ['confirm', 'dead-letter']).about, 'event');
    },
  },
  'refuses-in-part': {
    title: 'AUD-15: 200 for the request is no success for an event that was not stored',
    async hold({ sink }, ms) {
      assert.equal(failureOf(await deliver(sink, 1, ms), ['confirm', 'dead-letter']).about, 'event');
    },
  },
  denies: {
    title: 'AUD-13: a refused credential is confirmed, and blames the destination',
    async hold({ sink, received }, ms) {
      assert.equal(failureOf(await deliver(sink, 1, ms), ['confirm']).about, 'destination');
      assert.deepEqual(await received(), []);
    },
  },
  stalls: {
    title: 'AUD-13: an abort ends a send whose answer does not come, and it is no success',
    async hold({ sink, stalled }, ms) {
      const { event, key } = eventNumber(1);
      const stopping = new AbortController();
      const sent = sink.send(event, contextFor(key, stopping.signal)).then(
        ({ kind }) => kind,
        () => 'rejected',
      );
      await expectWithin(ms, 'the far end to read the request', stalled?.() ?? Promise.resolve());
      stopping.abort(new Error('stop'));
      const kind = await expectWithin(ms, 'send() to settle after its signal aborted', sent);
      assert.ok(kind === 'rejected' || kind === 'retry', `expected a rejection or retry, got ${kind}`);
    },
  },
  'answers-in-html': {
    title: 'AUD-15: 200 with a page of HTML is no success',
    async hold({ sink, received }, ms) {
      failureOf(await deliver(sink, 1, ms), ['retry', 'confirm']);
      assert.deepEqual(await received(), []);
    },
  },
};

function describeConnectionTest(it: Case, ms: number, isDenied: boolean): void {
  it('AUD-4: a test of the connection delivers no event and says whether one would arrive', async (given) => {
    const { sink, play, received } = given;
    if (sink.testConnection === undefined) return;
    const options = { signal: new AbortController().signal };
    const works = await expectWithin(ms, 'testConnection() to settle', sink.testConnection(options));
    assert.deepEqual(works, { ok: true });
    if (isDenied) {
      await play('denies');
      const denied = await expectWithin(ms, 'testConnection() to settle', sink.testConnection(options));
      assert.equal(denied.ok, false);
    }
    assert.deepEqual(await received(), []);
  });
}

/**
 * What every `AuditSink` must do (AUD-4, AUD-13, AUD-15): lost replies, limits, outages, refusals,
 * partial success, silence, pages of HTML. A scene that a kind of far end cannot play is left out
 * by the harness, with the reason.
 */
export function describeAuditSinkContract(runner: Runner, harness: AuditSinkHarness): void {
  const ms = harness.deadlineMs ?? defaultDeadlineMs;
  const { without = {} } = harness;
  runner.describe('AuditSink contract', () => {
    const it = contractCases(runner, harness);
    describeTaking(it, ms);
    describeScenes(it, scenes, { without, ms });
    describeConnectionTest(it, ms, without.denies === undefined);
  });
}
