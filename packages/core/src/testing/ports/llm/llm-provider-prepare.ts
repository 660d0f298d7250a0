import assert from 'node:assert/strict';
import type { RedactedText } from '../../../foundation/redacted-text.js';
import type { PreparedLlmRequest } from '../../../llm/llm-provider.js';
import { expectWithin } from '../../support/case-deadline.js';
import type { CaseOn } from '../../support/contract-cases.js';
import type { LlmProviderUnderTest } from './llm-provider-peer.js';
import { canary, firstMode, makeRequest, prepareIn, sayInTurns } from './llm-provider-requests.js';

type Case = CaseOn<LlmProviderUnderTest>;

/** Cases of `prepare`. */
export function describePrepare(it: Case, deadlineMs: number): void {
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
  it('EGR-2: a declared host is the one that every prepared request goes to', async ({ provider }) => {
    if (provider.host === undefined) return;
    for (const mode of provider.modes)
      assert.equal(new URL((await prepareIn(provider, mode)).url).host, provider.host, mode);
  });
  it('SEC-4: nothing prepared holds the credential', async ({ provider, credential }) => {
    for (const mode of provider.modes) {
      const printed = JSON.stringify(await prepareIn(provider, mode));
      if (credential !== null) assert.ok(!printed.includes(credential), mode);
      assert.doesNotMatch(printed, /"(authorization|api-key|x-api-key|x-goog-api-key)":/i);
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

/** Cases of a request with several turns. */
export function describeTurns(it: Case): void {
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
}

function readBody({ body }: PreparedLlmRequest): Readonly<Record<string, unknown>> {
  return JSON.parse(body) as Record<string, unknown>;
}

/** Cases of a provider that takes vendor switches. */
export function describeExtraBody(it: Case): void {
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
