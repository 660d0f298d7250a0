import { describe, expect, it } from 'vitest';
import { makeOpenAiChatScenes } from '../../../../../tools/testing/model-scenes/openai-chat-scenes.js';
import { contractTexts, createOnScenes } from '../../../test/scene-server.js';
import type { JsonObject } from '../../foundation/json.js';
import { isRedactedText } from '../../foundation/redacted-text.js';
import { describeLlmProviderContract } from '../../testing/ports/llm/llm-provider-contract.js';
import type { LlmProviderHarness } from '../../testing/ports/llm/llm-provider-peer.js';
import { collectCases, failedCases } from '../../testing/support/collecting-runner.js';
import type { HttpLlmProvider } from '../http-provider/http-provider.js';
import type { LlmProvider, LlmReply, PreparedLlmRequest } from '../llm-provider.js';
import { createOpenAiChatProvider, type OpenAiChatProviderOptions } from './openai-chat-provider.js';

const createUnderTest = (
  wrap: (provider: HttpLlmProvider) => LlmProvider = (provider) => provider,
  switchBody: (options: OpenAiChatProviderOptions, extraBody: JsonObject) => LlmProvider = (options, extraBody) =>
    wrap(createOpenAiChatProvider({ ...options, extraBody })),
) =>
  createOnScenes(makeOpenAiChatScenes(contractTexts), {
    create: ({ extraBody, ...shared }) => {
      const options = { ...shared, baseUrl: `${shared.baseUrl}/v1` };
      return extraBody === undefined ? wrap(createOpenAiChatProvider(options)) : switchBody(options, extraBody);
    },
    usage: { inputTokens: 9, outputTokens: 4, cachedInputTokens: 6, reasoningTokens: 3 },
  });

describeLlmProviderContract({ describe, it }, { create: () => createUnderTest() });

describe('prepared by a promise', () => {
  const later = (provider: HttpLlmProvider): LlmProvider => ({
    ...provider,
    prepare: async (request) => provider.prepare(request),
  });
  describeLlmProviderContract({ describe, it }, { create: () => createUnderTest(later) });
});

describe('the LlmProvider contract convicts', () => {
  const convict = async (
    wrap?: (provider: HttpLlmProvider) => LlmProvider,
    switchBody?: Parameters<typeof createUnderTest>[1],
  ) => {
    const harness: LlmProviderHarness = { create: () => createUnderTest(wrap, switchBody), deadlineMs: 200 };
    return (await failedCases(collectCases(describeLlmProviderContract, harness))).map(({ name }) =>
      name.replace(/^.*? > /, ''),
    );
  };

  it('EGR-3: a provider that prepares differently each time', async () => {
    let count = 0;
    const failed = await convict((provider) => ({
      ...provider,
      prepare: (request) => ({ ...provider.prepare(request), headers: { 'x-count': String(count++) } }),
    }));
    expect(failed).toContain('EGR-3: the same request prepares to the same bytes, in every mode, without a connection');
  });

  it('SEC-4: a provider that prepares the credential with the rest', async () => {
    const failed = await convict((provider) => ({
      ...provider,
      prepare: (request) => ({ ...provider.prepare(request), headers: { authorization: 'Bearer' } }),
    }));
    expect(failed).toContain('SEC-4: nothing prepared holds the credential');
  });

  it('EGR-1: a provider that sends the last turn alone', async () => {
    const failed = await convict((provider) => ({
      ...provider,
      prepare: (request) => provider.prepare({ ...request, turns: request.turns.slice(-1) }),
    }));
    expect(failed).toEqual([
      'EGR-1: every turn stands in the body, in the order given, in every mode',
      'ART-6: text that nobody redacted is refused, whichever turn it is',
    ]);
  });

  it('ART-6: a provider that leaves out a turn of the assistant that nobody redacted', async () => {
    const failed = await convict((provider) => ({
      ...provider,
      prepare: (request) =>
        provider.prepare({
          ...request,
          turns: request.turns.map((turn, n) => ({
            ...turn,
            text: isRedactedText(turn.text) ? turn.text : (request.turns[n === 0 ? 2 : 0]?.text ?? turn.text),
          })),
        }),
    }));
    expect(failed).toEqual(['ART-6: text that nobody redacted is refused, whichever turn it is']);
  });

  it('a provider whose preparation goes on after its signal', async () => {
    const failed = await convict((provider) => ({
      ...provider,
      async prepare(request, { signal }) {
        await new Promise((resolve) => setImmediate(resolve));
        return signal.aborted ? new Promise<never>(() => undefined) : provider.prepare(request);
      },
    }));
    expect(failed).toEqual(['a preparation settles when its signal aborts']);
  });

  /** A provider that merges vendor switches itself, into the body of one that takes none. */
  const mergeSwitches =
    (merge: (body: JsonObject, extraBody: JsonObject) => JsonObject) =>
    (options: OpenAiChatProviderOptions, extraBody: JsonObject): LlmProvider => {
      const plain = createOpenAiChatProvider(options);
      const rewrite = (prepared: PreparedLlmRequest): PreparedLlmRequest => ({
        ...prepared,
        body: JSON.stringify(merge(JSON.parse(prepared.body) as JsonObject, extraBody)),
      });
      return { ...plain, extraBody, prepare: (request) => rewrite(plain.prepare(request)) };
    };
  const stands = 'EGR-1: vendor switches stand in every body, beside all that stands there without them';
  const overrides = 'SEC-4: no switch overrides what the protocol sets: a TypeError names the key';

  it('SEC-4: a provider whose switches override the protocol, and one that drops what is in the way', async () => {
    expect(
      await convict(
        undefined,
        mergeSwitches((body, extraBody) => ({ ...body, ...extraBody })),
      ),
    ).toEqual([overrides]);
    expect(
      await convict(
        undefined,
        mergeSwitches((body) => body),
      ),
    ).toEqual([stands, overrides]);
  });

  it('GRD-1: a provider that does not name its switches', async () => {
    const unnamed = (options: OpenAiChatProviderOptions, extraBody: JsonObject): LlmProvider => ({
      ...createOpenAiChatProvider({ ...options, extraBody }),
      extraBody: undefined,
    });
    expect(await convict(undefined, unnamed)).toEqual([stands]);
  });

  it('ERR-3: a provider that retries by itself', async () => {
    const failed = await convict((provider) => ({
      ...provider,
      send: (prepared, options) => provider.send(prepared, options).catch(() => provider.send(prepared, options)),
    }));
    expect(failed).toContain('ERR-3: a rate limit is rate_limit with the delay asked for, and is not retried inside');
  });

  const changingReply = (change: (reply: LlmReply) => LlmReply) =>
    convict((provider) => ({
      ...provider,
      send: async (prepared, options) => change(await provider.send(prepared, options)),
    }));

  it('a provider that forgets what was cached, or takes reasoning for something beside the output', async () => {
    const usageFault = 'the usage is what the peer counted, each number in its place';
    const forgotten = await changingReply((reply) => ({
      ...reply,
      usage: { ...reply.usage, cachedInputTokens: null },
    }));
    expect(forgotten).toEqual([usageFault]);
    const apart = await changingReply((reply) => ({ ...reply, usage: { ...reply.usage, outputTokens: 1 } }));
    expect(apart).toEqual(expect.arrayContaining([usageFault, 'the scene complete is the stop state complete']));
  });

  it('INV-4: a provider that reads the first of two tool calls', async () => {
    const failed = await changingReply(({ moreTexts: _rest, ...reply }) => reply);
    expect(failed).toEqual(['INV-4: of two tool calls both are read, with a note']);
  });

  it('INV-4: a provider that reads the prose beside a tool call', async () => {
    const failed = await changingReply((reply) =>
      reply.notes?.includes('text_beside_tool_call') ? { ...reply, text: '"prose"' } : reply,
    );
    expect(failed).toEqual(['INV-4: the arguments of a tool call win over prose beside it, with a note']);
  });

  it('INV-4: a provider that reads on without a note', async () => {
    const failed = await changingReply((reply) => ({ ...reply, notes: [] }));
    expect(failed).toHaveLength(3);
  });

  it('a provider that calls every reply whole', async () => {
    const failed = await convict((provider) => ({
      ...provider,
      send: async (prepared, options) => ({ ...(await provider.send(prepared, options)), stop: 'complete' as const }),
    }));
    expect(failed).toHaveLength(6);
  });
});
