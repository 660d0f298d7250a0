import type { HttpResponse } from '@criticizer/core/http';
import {
  assembleReply,
  chooseTexts,
  type LlmReply,
  type LlmUsage,
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

/** Reasons that the AI SDK names too broadly. */
const otherReasons: Readonly<Record<string, StopState>> = {
  pause_turn: 'provider_error',
  refusal: 'refused',
  model_context_window_exceeded: 'context_overflow',
};

const unifiedStops: Readonly<Record<string, StopState>> = {
  length: 'truncated_output',
  'content-filter': 'content_filtered',
  error: 'provider_error',
  interrupted: 'provider_error',
};

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

/** The vendor's reason. The Responses API has none for a whole reply, only a status. */
function readReason(raw: unknown, body: Fields): string {
  if (typeof raw === 'string') return raw;
  return body['object'] === 'response' && body['status'] === 'completed' ? 'completed' : '';
}

function readEnd(unified: string, reason: string, body: Fields, texts: readonly string[]): ReplyEnd {
  if (hasRefusal(body)) return { stop: 'refused' };
  if (Object.hasOwn(otherReasons, reason)) return { stop: otherReasons[reason] ?? 'provider_error' };
  if ((unified === 'stop' || unified === 'tool-calls') && wholeReasons.has(reason)) return { stop: 'complete' };
  if (Object.hasOwn(unifiedStops, unified)) return { stop: unifiedStops[unified] ?? 'provider_error' };
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

function requestIdOf({ headers }: HttpResponse): string | null {
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
    requestId: requestIdOf(response),
    providerStop: reason.slice(0, 100) || null,
  });
}

/** What the model did not do as asked, by the name of the option; its sentences are not kept. */
export function readWarnings(result: unknown): readonly { type: string; feature: string }[] {
  return items(fields(result)['warnings'])
    .map(fields)
    .map(({ type, feature }) => ({ type: text(type).slice(0, 40), feature: text(feature).slice(0, 100) }));
}
