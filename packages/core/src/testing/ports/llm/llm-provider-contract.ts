import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { LlmUsage, StopState } from '../../../llm/llm-provider.js';
import { defaultDeadlineMs } from '../../support/case-deadline.js';
import { type CaseOn, contractCases } from '../../support/contract-cases.js';
import type { Runner } from '../../support/runner.js';
import {
  contractReplyText,
  contractSecondText,
  type LlmPeerScene,
  type LlmProviderHarness,
  type LlmProviderUnderTest,
} from './llm-provider-peer.js';
import { describeExtraBody, describePrepare, describeTurns } from './llm-provider-prepare.js';
import { canary, failureOf, firstMode, inTime, prepareIn, sendOnce } from './llm-provider-requests.js';

type Case = CaseOn<LlmProviderUnderTest>;

const stops: readonly (readonly [LlmPeerScene, StopState])[] = [
  ['complete', 'complete'],
  ['truncated', 'truncated_output'],
  ['filtered', 'content_filtered'],
  ['refused', 'refused'],
  ['empty', 'empty'],
  ['context_overflow', 'context_overflow'],
  ['unknown_stop_cut', 'provider_error'],
];

/** Whole numbers or null, and no part larger than its whole. */
function checkUsage({ inputTokens, outputTokens, cachedInputTokens, reasoningTokens }: LlmUsage): void {
  for (const tokens of [inputTokens, outputTokens, cachedInputTokens, reasoningTokens])
    assert.ok(tokens === null || (Number.isSafeInteger(tokens) && tokens >= 0));
  assert.ok((cachedInputTokens ?? 0) <= (inputTokens ?? Number.POSITIVE_INFINITY), 'cached input is a part of input');
  assert.ok((reasoningTokens ?? 0) <= (outputTokens ?? Number.POSITIVE_INFINITY), 'reasoning is a part of output');
}

function describeReplies(it: Case): void {
  it('EGR-1: one send is one request with exactly the prepared body, the credential beside it', async (under) => {
    under.play('complete');
    const prepared = await prepareIn(under.provider, firstMode(under.provider));
    await under.provider.send(prepared, inTime());
    const [seen, ...more] = under.requests();
    assert.ok(seen !== undefined && more.length === 0, 'expected one request');
    assert.equal(seen.body, prepared.body);
    if (under.credential !== null) assert.ok(JSON.stringify(seen.headers).includes(under.credential));
  });
  for (const [scene, stop] of stops)
    it(`the scene ${scene} is the stop state ${stop}`, async (under) => {
      if (under.unplayable?.includes(scene)) return;
      under.play(scene);
      const reply = await sendOnce(under);
      assert.equal(reply.stop, stop);
      if (scene === 'complete') assert.deepEqual(JSON.parse(reply.text), JSON.parse(contractReplyText));
      checkUsage(reply.usage);
    });
  it('the usage is what the peer counted, each number in its place', async (under) => {
    under.play('complete');
    assert.deepEqual((await sendOnce(under)).usage, under.usage);
  });
}

const parseAll = (texts: readonly string[]): readonly unknown[] => texts.map((text) => JSON.parse(text) as unknown);

function describeUnusualReplies(it: Case): void {
  it('INV-4: a whole reply with an unknown stop reason is read, with a note', async (under) => {
    under.play('unknown_stop');
    const reply = await sendOnce(under);
    assert.equal(reply.stop, 'complete');
    assert.deepEqual(JSON.parse(reply.text), JSON.parse(contractReplyText));
    assert.deepEqual(reply.notes, ['unknown_stop']);
  });
  it('INV-4: the arguments of a tool call win over prose beside it, with a note', async (under) => {
    if (!under.provider.modes.includes('tool')) return;
    under.play('text_beside_tool_call');
    const reply = await sendOnce(under, { mode: 'tool' });
    assert.equal(reply.stop, 'complete');
    assert.deepEqual(parseAll([reply.text, ...(reply.moreTexts ?? [])]), parseAll([contractReplyText]));
    assert.deepEqual(reply.notes, ['text_beside_tool_call']);
  });
  it('INV-4: of two tool calls both are read, with a note', async (under) => {
    if (!under.provider.modes.includes('tool')) return;
    under.play('two_tool_calls');
    const reply = await sendOnce(under, { mode: 'tool' });
    assert.equal(reply.stop, 'complete');
    assert.deepEqual(
      parseAll([reply.text, ...(reply.moreTexts ?? [])]),
      parseAll([contractReplyText, contractSecondText]),
    );
    assert.deepEqual(reply.notes, ['several_tool_calls']);
  });
}

function describeFailures(it: Case): void {
  it('ERR-3: a rate limit is rate_limit with the delay asked for, and is not retried inside', async (under) => {
    under.play('rate_limited');
    const error = await failureOf(under);
    assert.equal(error.category, 'rate_limit');
    assert.equal(error.retryAfterMs, 7_000);
    assert.equal(under.requests().length, 1);
  });
  it('ERR-1: an unavailable or unreadable peer is retryable, and is not retried inside', async (under) => {
    for (const scene of ['unavailable', 'unreadable'] as const) {
      under.play(scene);
      const { category } = await failureOf(under);
      assert.ok(category === 'network' || category === 'upstream', `${scene}: ${category}`);
    }
    assert.equal(under.requests().length, 2);
  });
  it('INT-4: a denied credential is auth, and parks', async (under) => {
    if (under.credential === null) return;
    under.play('unauthorized');
    const error = await failureOf(under);
    assert.equal(error.category, 'auth');
    assert.equal(error.parks, true);
  });
  it('ERR-1: a silent peer ends at timeoutMs as network', async (under) => {
    under.play('silent');
    assert.equal((await failureOf(under, { timeoutMs: 150 })).category, 'network');
  });
  it('an abort ends the send', async (under) => {
    under.play('silent');
    const controller = new AbortController();
    const sent = sendOnce(under, { signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    await assert.rejects(sent);
  });
  it('ERR-8: no failure holds the prompt or the credential', async (under) => {
    for (const scene of ['rate_limited', 'unavailable', 'unauthorized', 'unreadable'] as const) {
      if (scene === 'unauthorized' && under.credential === null) continue;
      under.play(scene);
      const printed = inspect(await failureOf(under), { depth: 10, showHidden: true });
      assert.ok(!printed.includes(canary), scene);
      if (under.credential !== null) assert.ok(!printed.includes(under.credential), scene);
    }
  });
}

/** What every `LlmProvider` must do, against a peer that speaks its vendor's protocol. */
export function describeLlmProviderContract(runner: Runner, harness: LlmProviderHarness): void {
  const it = contractCases(runner, harness);
  runner.describe('LlmProvider contract', () => {
    describePrepare(it, harness.deadlineMs ?? defaultDeadlineMs);
    describeTurns(it);
    describeExtraBody(it);
    describeReplies(it);
    describeUnusualReplies(it);
    describeFailures(it);
  });
}
