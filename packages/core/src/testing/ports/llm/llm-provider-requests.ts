import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { redactForLlm } from '../../../egress/redact-for-llm.js';
import { type CriticizerError, isCriticizerError } from '../../../foundation/errors.js';
import type {
  LlmCallOptions,
  LlmProvider,
  LlmReply,
  LlmRequest,
  LlmTurn,
  PreparedLlmRequest,
  StructuredMode,
} from '../../../llm/llm-provider.js';
import { createMarkerRedactor } from '../../support/marker-redactor.js';
import type { LlmProviderUnderTest } from './llm-provider-peer.js';

/** Stands in every request of the suite, to look for where it must not be. */
export const canary = 'canary-of-the-prompt-5d1f';

/** Turns with these texts, the user's first. */
export function sayInTurns(...texts: readonly string[]): readonly LlmTurn[] {
  const { pieces } = redactForLlm({
    redactor: createMarkerRedactor(),
    texts: texts.map((text) => ({ name: 'turn', text })),
  });
  return pieces.map(({ text }, n) => ({ role: n % 2 === 0 ? 'user' : 'assistant', text }));
}

const oneTurn = (): readonly LlmTurn[] => sayInTurns(`+ if (a = b) // ${canary} "quoted"\n- größe`);

/** Options of a call that nobody ends. */
export const inTime = (): LlmCallOptions => ({ signal: new AbortController().signal, timeoutMs: 10_000 });

/** Prepares one request in this mode. */
export async function prepareIn(
  provider: LlmProvider,
  mode: StructuredMode,
  turns = oneTurn(),
): Promise<PreparedLlmRequest> {
  return provider.prepare(makeRequest(provider, mode, turns), inTime());
}

/** A request in this mode. */
export function makeRequest(provider: LlmProvider, mode: StructuredMode, turns = oneTurn()): LlmRequest {
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

/** The mode that cases use which need none of its own. */
export function firstMode(provider: LlmProvider): StructuredMode {
  const [mode] = provider.modes;
  assert.ok(mode !== undefined, 'expected at least one mode');
  return mode;
}

/** Prepares a request and sends it. */
export async function sendOnce(
  { provider }: LlmProviderUnderTest,
  options: { signal?: AbortSignal; timeoutMs?: number; mode?: StructuredMode } = {},
): Promise<LlmReply> {
  const prepared = await prepareIn(provider, options.mode ?? firstMode(provider));
  return provider.send(prepared, {
    signal: options.signal ?? new AbortController().signal,
    timeoutMs: options.timeoutMs ?? 10_000,
  });
}

/** The failure that sending one request ends with. */
export async function failureOf(
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
