import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { redactForLlm } from '../../egress/redact-for-llm.js';
import { type CriticizerError, isCriticizerError } from '../../foundation/errors.js';
import type { JsonObject } from '../../foundation/json.js';
import type { RedactedText } from '../../foundation/redacted-text.js';
import type {
  LlmCallOptions,
  LlmProvider,
  LlmReply,
  LlmRequest,
  LlmTurn,
  LlmUsage,
  PreparedLlmRequest,
  StopState,
  StructuredMode,
} from '../../llm/llm-provider.js';
import { defaultDeadlineMs, expectWithin } from '../support/case-deadline.js';
import { type CaseOn, contractCases } from '../support/contract-cases.js';
import { createMarkerRedactor } from '../support/marker-redactor.js';
import type { Runner } from '../support/runner.js';

/** What the peer plays, in its vendor's own words and statuses. */
export type LlmPeerScene =
  /** A whole reply with the text `contractReplyText`. */
  | 'complete'
  /** The same text, cut at the output limit. */
  | 'truncated'
  | 'filtered'
  | 'refused'
  /** A whole reply without text. */
  | 'empty'
  /** The prompt is longer than the window. */
  | 'context_overflow'
  /** The reply of `complete` with a stop reason nobody has heard of. */
  | 'unknown_stop'
  /** The reply of `truncated` with a stop reason nobody has heard of. */
  | 'unknown_stop_cut'
  /**
   * `contractReplyText` as the arguments of a tool call, with prose beside it. Played to a provider
   * with the mode `tool` only.
   */
  | 'text_beside_tool_call'
  /**
   * Two tool calls, with `contractReplyText` and `contractSecondText`. Played to a provider with
   * the mode `tool` only.
   */
  | 'two_tool_calls'
  /** 429 with a delay of 7 seconds. */
  | 'rate_limited'
  /** 503 or the vendor's word for it. */
  | 'unavailable'
  /** Every credential is denied. */
  | 'unauthorized'
  /** 200 with something that is not the vendor's format at all. */
  | 'unreadable'
  /** The connection opens and nothing comes. */
  | 'silent';

/** What the peer answers in the scene `complete`: valid JSON, so that a provider which parses its reply is content. */
export const contractReplyText = '{"findings":[]}';

/** Arguments of the second call in the scene `two_tool_calls`. */
export const contractSecondText = '{"findings":["second"]}';

/** A provider and the peer that it talks to, which plays scenes. */
export interface LlmProviderUnderTest {
  provider: LlmProvider;
  /** The credential in use, to look for where it must not be; null for a provider without one. */
  credential: string | null;
  /** What the peer counts in the scene `complete`, in the port's words. `noUsage` for a vendor that counts nothing. */
  usage: LlmUsage;
  /**
   * Makes a provider like this one with these vendor switches. Left out by a provider that takes
   * none; its cases are passed over.
   */
  withExtraBody?: ((extraBody: JsonObject) => LlmProvider) | undefined;
  play(scene: LlmPeerScene): void;
  /** Requests that reached the peer, oldest first. */
  requests(): readonly {
    url: string;
    headers: Readonly<Record<string, string | string[] | undefined>>;
    body: string;
  }[];
  dispose(): Promise<void>;
}

/** Makes a provider and its peer for each case. */
export interface LlmProviderHarness {
  /** A fresh provider and peer for each test. */
  create(): Promise<LlmProviderUnderTest>;
  /** How long a case waits for a call that must settle. Milliseconds, default 4,000. */
  deadlineMs?: number | undefined;
}

const canary = 'canary-of-the-prompt-5d1f';

/** Turns with these texts, the user's first. */
function sayInTurns(...texts: readonly string[]): readonly LlmTurn[] {
  const { pieces } = redactForLlm({
    redactor: createMarkerRedactor(),
    texts: texts.map((text) => ({ name: 'turn', text })),
  });
  return pieces.map(({ text }, n) => ({ role: n % 2 === 0 ? 'user' : 'assistant', text }));
}

const oneTurn = (): readonly LlmTurn[] => sayInTurns(`+ if (a = b) // ${canary} "quoted"\n- größe`);

const inTime = (): LlmCallOptions => ({ signal: new AbortController().signal, timeoutMs: 10_000 });

async function prepareIn(provider: LlmProvider, mode: StructuredMode, turns = oneTurn()): Promise<PreparedLlmRequest> {
  return provider.prepare(makeRequest(provider, mode, turns), inTime());
}

function makeRequest(provider: LlmProvider, mode: StructuredMode, turns = oneTurn()): LlmRequest {
  const schema = {
    type: 'object',
    properties: {
      findings: {
        type: 'array',
        items: { type: 'object', properties: { message: { type: 'string', minLength: 1 } }, required: ['message'] },
      },
      summary: { type: 'string' },
    },
    required: ['findings'],
  };
  const maxOutputTokens = Math.min(1_000, provider.limits.maxOutputTokens);
  return { system: 'Review the change.', turns, schema, schemaName: 'review_result', mode, maxOutputTokens };
}

function firstMode(provider: LlmProvider): StructuredMode {
  const [mode] = provider.modes;
  assert.ok(mode !== undefined, 'expected at least one mode');
  return mode;
}

async function sendOnce(
  { provider }: LlmProviderUnderTest,
  options: { signal?: AbortSignal; timeoutMs?: number; mode?: StructuredMode } = {},
): Promise<LlmReply> {
  const prepared = await prepareIn(provider, options.mode ?? firstMode(provider));
  return provider.send(prepared, {
    signal: options.signal ?? new AbortController().signal,
    timeoutMs: options.timeoutMs ?? 10_000,
  });
}

async function failureOf(
  under: LlmProviderUnderTest,
  options?: { signal?: AbortSignal; timeoutMs?: number },
): Promise<CriticizerError> {
  const error: unknown = await sendOnce(under, options).then(
    (reply) => assert.fail(`expected a failure, got ${reply.stop}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(isCriticizerError(error), `expected a CriticizerError, got ${inspect(error, { depth: 0 })}`);
  return error;
}

type Case = CaseOn<LlmProviderUnderTest>;

function describePrepare(it: Case, deadlineMs: number): void {
  it('EGR-3: the same request prepares to the same bytes, in every mode, without a connection', async ({
    provider,
    requests,
  }) => {
    assert.ok(provider.modes.length > 0 && provider.limits.contextTokens > 0);
    for (const mode of provider.modes)
      assert.deepEqual(await prepareIn(provider, mode), await prepareIn(provider, mode));
    assert.equal(requests().length, 0);
  });
  it('EGR-1: what is prepared is all there is: URL, model, and the redacted text in the body', async ({ provider }) => {
    for (const mode of provider.modes) {
      const prepared = await prepareIn(provider, mode);
      assert.ok(URL.canParse(prepared.url));
      assert.equal(prepared.model, provider.model);
      assert.ok(prepared.body.includes(canary), mode);
    }
  });
  it('SEC-4: nothing prepared holds the credential', async ({ provider, credential }) => {
    for (const mode of provider.modes) {
      const printed = JSON.stringify(await prepareIn(provider, mode));
      if (credential !== null) assert.ok(!printed.includes(credential), mode);
      assert.doesNotMatch(printed, /"(authorization|api-key|x-api-key|x-goog-api-key)":/i);
    }
  });
  it('EGR-1: every turn stands in the body, in the order given, in every mode', async ({ provider }) => {
    const texts = ['question-7c1e', 'answer-90ab', 'correction-3d5f'];
    for (const mode of provider.modes) {
      const { body } = await prepareIn(provider, mode, sayInTurns(...texts));
      const places = texts.map((text) => body.indexOf(text));
      assert.ok(!places.includes(-1), mode);
      assert.deepEqual(
        places,
        [...places].sort((a, b) => a - b),
        mode,
      );
    }
  });
  it('ART-6: text that nobody redacted is refused, whichever turn it is', async ({ provider }) => {
    const forged: RedactedText = { kind: 'criticizer.redacted-text' };
    for (const nth of [0, 1, 2]) {
      const turns = sayInTurns('a', 'b', 'c').map((turn, n) => (n === nth ? { ...turn, text: forged } : turn));
      await assert.rejects(prepareIn(provider, firstMode(provider), turns));
    }
  });
  it('a preparation settles when its signal aborts', async ({ provider }) => {
    const request = makeRequest(provider, firstMode(provider));
    const controller = new AbortController();
    const prepared = (async () => provider.prepare(request, { signal: controller.signal, timeoutMs: 10_000 }))();
    controller.abort();
    await expectWithin(deadlineMs, 'an aborted preparation to settle', Promise.allSettled([prepared]));
  });
  it('a mode the provider does not have is refused', async ({ provider }) => {
    for (const mode of ['json_schema', 'tool', 'json_object', 'prompt'] as const)
      if (!provider.modes.includes(mode)) await assert.rejects(prepareIn(provider, mode), TypeError);
  });
}

function readBody({ body }: PreparedLlmRequest): Readonly<Record<string, unknown>> {
  return JSON.parse(body) as Record<string, unknown>;
}

function describeExtraBody(it: Case): void {
  it('EGR-1: vendor switches stand in every body, beside all that stands there without them', async (under) => {
    if (under.withExtraBody === undefined) return;
    const extraBody = { criticizer_switch: { on: true, word: 'switched-4c2e' } };
    const switched = under.withExtraBody(extraBody);
    assert.deepEqual(switched.extraBody, extraBody);
    for (const mode of switched.modes) {
      const plain = readBody(await prepareIn(under.provider, mode));
      assert.deepEqual(readBody(await prepareIn(switched, mode)), { ...plain, ...extraBody });
    }
  });
  it('SEC-4: no switch overrides what the protocol sets: a TypeError names the key', async ({
    provider,
    withExtraBody,
  }) => {
    if (withExtraBody === undefined) return;
    const fields = new Set<string>();
    for (const mode of provider.modes)
      for (const key of Object.keys(readBody(await prepareIn(provider, mode)))) fields.add(key);
    for (const key of fields)
      assert.throws(
        () => withExtraBody({ [key]: 'overridden' }),
        (error: unknown) => error instanceof TypeError && error.message.includes(key),
      );
  });
}

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
    describeExtraBody(it);
    describeReplies(it);
    describeUnusualReplies(it);
    describeFailures(it);
  });
}
