import type { HttpResponse } from '@criticizer/core/http';
import {
  assembleReply,
  chooseTexts,
  type LlmReply,
  type LlmUsage,
  noUsage,
  type ReplyEnd,
  readRequestId,
  readUnknownStop,
  type StopState,
} from '@criticizer/core/llm';

type Fields = Readonly<Record<string, unknown>>;

const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const items = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const tokens = (value: unknown): number | null =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null;

/** Vendors' reasons of a whole reply. The AI SDK's own word is not enough: it calls `pause_turn` a `stop`. */
const wholeReasons: ReadonlySet<string> = new Set([
  ...['stop', 'end_turn', 'stop_sequence', 'tool_use', 'tool_calls', 'STOP', 'completed', 'COMPLETE', 'eos'],
]);

const rows = (reasons: string, stop: StopState): Readonly<Record<string, StopState>> =>
  Object.fromEntries(reasons.split(' ').map((reason) => [reason, stop]));

/** Vendors' reasons that the AI SDK has no word for, or one that is too broad. */
const otherReasons: Readonly<Record<string, StopState>> = {
  ...rows('pause_turn malformed_model_output malformed_tool_use', 'provider_error'),
  ...rows('OTHER MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS', 'provider_error'),
  ...rows('MISSING_THOUGHT_SIGNATURE MALFORMED_RESPONSE', 'provider_error'),
  ...rows('LANGUAGE IMAGE_SAFETY MODEL_ARMOR ESCALATION PUP_LIMITED_DISABLED', 'content_filtered'),
  CONTINUATION: 'truncated_output',
  refusal: 'refused',
  model_context_window_exceeded: 'context_overflow',
};

const unifiedStops: Readonly<Record<string, StopState>> = {
  length: 'truncated_output',
  'content-filter': 'content_filtered',
  error: 'provider_error',
  interrupted: 'provider_error',
};

/** Statuses of the Responses API whose text is no whole reply, whatever the AI SDK calls the end. */
const brokenStatuses: ReadonlySet<string> = new Set(['incomplete', 'failed', 'cancelled', 'queued', 'in_progress']);

function parseBody({ body }: HttpResponse): Fields {
  try {
    return fields(JSON.parse(new TextDecoder().decode(body)));
  } catch {
    return {};
  }
}

/** Whether the vendor's own bytes hold a refusal, which the AI SDK drops or gives as text. */
function hasRefusal(body: Fields): boolean {
  const parts = items(body['output']).flatMap((one) => items(fields(one)['content']));
  const messages = items(body['choices']).map((one) => fields(fields(one)['message']));
  return (
    parts.some((part) => fields(part)['type'] === 'refusal') ||
    messages.some(({ refusal }) => text(refusal).trim() !== '')
  );
}

/** The status of a reply of the Responses API; empty for other protocols. */
const readStatus = (body: Fields): string => (body['object'] === 'response' ? text(body['status']) : '');

/** The vendor's reason. The Responses API has none for a whole reply, only a status. */
function readReason(raw: unknown, body: Fields): string {
  if (typeof raw === 'string') return raw;
  return readStatus(body) === 'completed' ? 'completed' : '';
}

function readEnd(unified: string, reason: string, body: Fields, texts: readonly string[]): ReplyEnd {
  if (hasRefusal(body)) return { stop: 'refused' };
  if (Object.hasOwn(otherReasons, reason)) return { stop: otherReasons[reason] ?? 'provider_error' };
  if (Object.hasOwn(unifiedStops, unified)) return { stop: unifiedStops[unified] ?? 'provider_error' };
  if (brokenStatuses.has(readStatus(body))) return { stop: 'provider_error' };
  if (unified === 'stop' && wholeReasons.has(reason)) return { stop: 'complete' };
  return readUnknownStop(texts);
}

function readUsage(usage: Fields): LlmUsage {
  const [input, output] = [fields(usage['inputTokens']), fields(usage['outputTokens'])];
  return {
    inputTokens: tokens(input['total']),
    outputTokens: tokens(output['total']),
    cachedInputTokens: tokens(input['cacheRead']),
    reasoningTokens: tokens(output['reasoning']),
  };
}

function findRequestId({ headers }: HttpResponse): string | null {
  return readRequestId(headers['x-request-id'] ?? headers['request-id'] ?? headers['x-amzn-requestid']);
}

/** Reads what `doGenerate` gave, beside the vendor's own bytes. */
export function readResult(result: unknown, response: HttpResponse): LlmReply {
  const { content, finishReason, usage } = fields(result);
  const parts = items(content).map(fields);
  const texts = chooseTexts({
    calls: parts.filter(({ type }) => type === 'tool-call').map(({ input }) => text(input)),
    contents: [parts.map((part) => (part['type'] === 'text' ? text(part['text']) : '')).join('')],
  });
  const body = parseBody(response);
  const reason = readReason(fields(finishReason)['raw'], body);
  return assembleReply(texts, readEnd(text(fields(finishReason)['unified']), reason, body, texts.texts), {
    usage: readUsage(fields(usage)),
    requestId: findRequestId(response),
    providerStop: reason.slice(0, 100) || null,
  });
}

/** What a 200 of the Responses API says that a vendor's policy stopped. */
const filterCodes: ReadonlySet<string> = new Set(['content_filter', 'bio_policy', 'misalignment_policy_violation']);

/**
 * A reply that the AI SDK throws at, from the vendor's own bytes: refused or filtered. Undefined
 * where it says neither.
 */
export function readUnread(response: HttpResponse): LlmReply | undefined {
  const body = parseBody(response);
  const code = readStatus(body) === 'failed' ? text(fields(body['error'])['code']) : '';
  const stop = hasRefusal(body) ? 'refused' : filterCodes.has(code) ? 'content_filtered' : undefined;
  if (stop === undefined) return undefined;
  return { stop, text: '', usage: noUsage, requestId: findRequestId(response), providerStop: code || null };
}

/** What the model did not do as asked, by the name of the option; its sentences are not kept. */
export function readWarnings(result: unknown): readonly { type: string; feature: string }[] {
  return items(fields(result)['warnings'])
    .map(fields)
    .map(({ type, feature }) => ({ type: text(type).slice(0, 40), feature: text(feature).slice(0, 100) }));
}
