import assert from 'node:assert/strict';
import { systemClock } from '../../../foundation/time/system-clock.js';
import { callPager, type PagerAction, type PagerResult } from '../../../pager/call-pager.js';
import type { Pager, PagerFailure } from '../../../pager/pager.js';
import { defaultDeadlineMs, expectWithin } from '../../support/case-deadline.js';
import { type CaseOn, contractCases, describeScenes, type HeldScene } from '../../support/contract-cases.js';
import type { Runner } from '../../support/runner.js';
import { alertNumber, type PagerHarness, type PagerScene, type PagerUnderTest } from './pager-scenes.js';

/** What one call of the contract is made with, beyond its alert. */
interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Called with what is about to leave; rejects to forbid it. */
  pass?: ((bytes: Uint8Array, content: string) => Promise<void>) | undefined;
}

/** One call, as an alerter makes it. */
function call(
  pager: Pager,
  action: PagerAction,
  n: number,
  { signal = new AbortController().signal, pass }: CallOptions = {},
): Promise<PagerResult> {
  return callPager({
    ...{ pager, action, alert: alertNumber(n), isRepeat: false, signal, clock: systemClock },
    deadlineMs: systemClock.monotonicMs() + 60_000,
    outbound: {
      check: async () => undefined,
      pass: async ({ bytes, content }) => pass?.(bytes, content),
    },
  });
}

const callWithin = (ms: number, ...given: Parameters<typeof call>): Promise<PagerResult> =>
  expectWithin(ms, 'the call to settle', call(...given));

/** The failure of a result that is one. Holds what every failure promises an operator. */
function failureOf(result: PagerResult, kinds: readonly PagerResult['kind'][]): PagerFailure {
  assert.ok(kinds.includes(result.kind), `expected ${kinds.join(' or ')}, got ${JSON.stringify(result)}`);
  assert.ok('failure' in result, 'expected a failure');
  const { failure } = result;
  assert.match(failure.code, /^[A-Z][A-Z0-9_]{1,63}$/, 'expected failure.code to be a code');
  assert.ok(failure.message.length > 0, 'expected failure.message to be a sentence');
  assert.ok(!JSON.stringify(failure).includes('gateway-'), 'expected a failure that quotes nothing of the alert');
  return failure;
}

type Case = CaseOn<PagerUnderTest>;

/** What happens where the far end takes messages. */
function describeTaking(it: Case, ms: number): void {
  it('OPS-3: trigger, its repeat and resolve carry one key, another alert another one', async ({ pager, received }) => {
    for (const action of ['trigger', 'trigger', 'resolve'] as const)
      assert.equal((await callWithin(ms, pager, action, 1)).kind, 'taken');
    assert.equal((await callWithin(ms, pager, 'trigger', 2)).kind, 'taken');
    const got = (await received()).map(({ action, key }) => [action, key]);
    const [first, second] = [alertNumber(1).key, alertNumber(2).key];
    assert.deepEqual(got, [
      ['trigger', first],
      ['trigger', first],
      ['resolve', first],
      ['trigger', second],
    ]);
  });
  it('OPS-3: a resolve without an open incident is taken', async ({ pager }) => {
    assert.equal((await callWithin(ms, pager, 'resolve', 1)).kind, 'taken');
  });
  it('EGR-1: exactly the bytes that arrive were shown before, with the content level none', async ({
    pager,
    received,
  }) => {
    const shown: { bytes: string; content: string }[] = [];
    const pass = async (bytes: Uint8Array, content: string): Promise<void> =>
      void shown.push({ bytes: Buffer.from(bytes).toString('utf8'), content });
    for (const action of ['trigger', 'resolve'] as const) await callWithin(ms, pager, action, 1, { pass });
    const got = (await received()).map(({ bytes }) => ({
      bytes: Buffer.from(bytes).toString('utf8'),
      content: 'none',
    }));
    assert.equal(got.length, 2);
    assert.deepEqual(shown, got);
  });
  it('EGR-4: what is forbidden before it leaves does not arrive', async ({ pager, received }) => {
    const pass = () => Promise.reject(new Error('forbidden'));
    for (const action of ['trigger', 'resolve'] as const)
      assert.notEqual((await callWithin(ms, pager, action, 1, { pass })).kind, 'taken');
    assert.deepEqual(await received(), []);
  });
  it('OPS-3: an aborted signal sends nothing', async ({ pager, received }) => {
    const context = {
      signal: AbortSignal.abort(new Error('stop')),
      isRepeat: false,
      beforeSend: async () => undefined,
    };
    for (const action of ['trigger', 'resolve'] as const) {
      const sent = pager[action](alertNumber(1), context).then(
        ({ kind }) => kind,
        () => 'rejected',
      );
      assert.notEqual(await expectWithin(ms, 'the call to settle', sent), 'taken');
    }
    assert.deepEqual(await received(), []);
  });
}

/** One case for each scene in which the far end does not simply take the message. */
const scenes: Readonly<Record<Exclude<PagerScene, 'takes'>, HeldScene<PagerUnderTest>>> = {
  'loses-reply': {
    title: 'OPS-3: after a lost reply the message counts as perhaps taken, and its repeat has the same key',
    async hold({ pager, play, received }, ms) {
      const result = await callWithin(ms, pager, 'trigger', 1);
      failureOf(result, ['retry']);
      assert.ok(result.kind === 'retry' && result.mayBeTaken, 'expected mayBeTaken');
      await play('takes');
      assert.equal((await callWithin(ms, pager, 'trigger', 1)).kind, 'taken');
      const keys = (await received()).map(({ key }) => key);
      assert.ok(keys.length >= 1, 'expected the far end to have the message');
      assert.deepEqual([...new Set(keys)], [alertNumber(1).key]);
    },
  },
  'rate-limits': {
    title: 'OPS-3: 429 is retried, not before Retry-After',
    async hold({ pager, received }, ms) {
      const result = await callWithin(ms, pager, 'trigger', 1);
      failureOf(result, ['retry']);
      const { retryAfterMs = 0 } = result.kind === 'retry' ? result : {};
      assert.ok(retryAfterMs > 5_000 && retryAfterMs <= 7_000, `expected about 7,000 ms, got ${retryAfterMs}`);
      assert.deepEqual(await received(), []);
    },
  },
  fails: {
    title: 'OPS-3: 5xx is retried',
    async hold({ pager, play, received }, ms) {
      for (const action of ['trigger', 'resolve'] as const)
        failureOf(await callWithin(ms, pager, action, 1), ['retry']);
      await play('takes');
      assert.equal((await callWithin(ms, pager, 'trigger', 1)).kind, 'taken');
      assert.equal((await received()).length, 1);
    },
  },
  refuses: {
    title: 'OPS-3: a clear no is refused, neither taken nor retried at once',
    async hold({ pager, received }, ms) {
      failureOf(await callWithin(ms, pager, 'trigger', 1), ['refused']);
      assert.deepEqual(await received(), []);
    },
  },
  denies: {
    title: 'OPS-3: a refused credential is refused, or held until there is another one',
    async hold({ pager, received }, ms) {
      failureOf(await callWithin(ms, pager, 'trigger', 1), ['refused', 'held']);
      assert.deepEqual(await received(), []);
    },
  },
  stalls: {
    title: 'OPS-3: an abort ends a call whose answer does not come, and it is not taken',
    async hold({ pager, stalled }, ms) {
      const stopping = new AbortController();
      const sent = call(pager, 'trigger', 1, { signal: stopping.signal });
      await expectWithin(ms, 'the far end to read the message', stalled?.() ?? Promise.resolve());
      stopping.abort(new Error('stop'));
      failureOf(await expectWithin(ms, 'the call to settle after its signal aborted', sent), ['retry']);
    },
  },
  'answers-in-html': {
    title: 'OPS-3: 200 with a page of HTML is not taken',
    async hold({ pager, received }, ms) {
      for (const action of ['trigger', 'resolve'] as const)
        failureOf(await callWithin(ms, pager, action, 1), ['retry', 'refused']);
      assert.deepEqual(await received(), []);
    },
  },
};

/**
 * What every `Pager` must do (OPS-3, EGR-1, EGR-4): one key for a cause, lost replies, limits, outages,
 * refusals, silence, pages of HTML. A scene that a kind of far end cannot play is left out by the
 * harness, with the reason.
 */
export function describePagerContract(runner: Runner, harness: PagerHarness): void {
  const ms = harness.deadlineMs ?? defaultDeadlineMs;
  const { without = {} } = harness;
  runner.describe('Pager contract', () => {
    const it = contractCases(runner, harness);
    describeTaking(it, ms);
    describeScenes(it, scenes, { without, ms });
  });
}
