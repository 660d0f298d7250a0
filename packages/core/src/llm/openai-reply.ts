import { CriticizerError } from '../foundation/errors.js';
import type { HttpResponse } from '../http/http-client.js';
import type { LlmReply, LlmUsage, ReplyNote } from './llm-provider.js';
import { readFinishReason } from './stop-reasons.js';

type Fields = Readonly<Record<string, unknown>>;

/** Servers that call themselves compatible leave out and add fields at will; nothing here trusts a shape. */
function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Parses the body as JSON; undefined where it is none. */
export function parseBody(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

const idText = /^[\x21-\x7e]{1,200}$/;

/** The vendor's id for support; a value that is not short printable ASCII is not passed on. */
export function requestIdOf(headers: Readonly<Record<string, string>>): string | null {
  const id = headers['x-request-id'] ?? headers['apim-request-id'] ?? headers['request-id'];
  return id !== undefined && idText.test(id) ? id : null;
}

function tokens(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function usageOf(reply: Fields): LlmUsage {
  const usage = fields(reply['usage']);
  return {
    inputTokens: tokens(usage['prompt_tokens']),
    outputTokens: tokens(usage['completion_tokens']),
    cachedInputTokens: tokens(fields(usage['prompt_tokens_details'])['cached_tokens']),
    reasoningTokens: tokens(fields(usage['completion_tokens_details'])['reasoning_tokens']),
  };
}

function contentOf(message: Fields): string {
  const { content } = message;
  if (Array.isArray(content)) return content.map((part) => text(fields(part)['text'])).join('');
  return text(content);
}

/** Arguments of every call of a tool, in order, each once; the legacy field's last. */
function readCalls(message: Fields): { calls: readonly string[]; isLegacy: boolean } {
  const written = (call: unknown): string => {
    const args = fields(call)['arguments'];
    return typeof args === 'object' && args !== null ? JSON.stringify(args) : text(args);
  };
  const { tool_calls: list, function_call: legacy } = message;
  const modern = (Array.isArray(list) ? list : []).map((call: unknown) => written(fields(call)['function']));
  const calls = [...new Set([...modern, written(legacy)])].filter((one) => one.trim() !== '');
  return { calls, isLegacy: calls.length > 0 && !modern.includes(calls[calls.length - 1] ?? '') };
}

/**
 * What the model wrote: the arguments of its calls, else its text. More than one choice was not
 * asked for, and none is left unread.
 */
function readTexts(messages: readonly Fields[]): { texts: readonly string[]; notes: readonly ReplyNote[] } {
  const read = messages.map(readCalls);
  const calls = [...new Set(read.flatMap((one) => one.calls))];
  const contents = [...new Set(messages.map(contentOf))].filter((content) => content.trim() !== '');
  if (calls.length === 0) return { texts: contents, notes: contents.length > 1 ? ['several_choices'] : [] };
  const notes: ReplyNote[] = [];
  if (contents.length > 0) notes.push('text_beside_tool_call');
  if (calls.length > 1) notes.push('several_tool_calls');
  if (read.some((one) => one.isLegacy)) notes.push('legacy_function_call');
  return { texts: calls, notes };
}

function refusalOf(message: Fields): string {
  const { content } = message;
  const parts = Array.isArray(content) ? content.map((part) => text(fields(part)['refusal'])).join('') : '';
  return text(message['refusal']) || parts;
}

/** Maps the body of a 200. Throws `LLM_REPLY_UNREADABLE` (upstream) where it is not a JSON object at all. */
export function readOpenAiReply(response: HttpResponse, context: { host: string }): LlmReply {
  const parsed = parseBody(response.body);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new CriticizerError('LLM_REPLY_UNREADABLE', 'the reply of the model endpoint is not a JSON object', {
      category: 'upstream',
      details: { host: context.host, status: response.status, bytes: response.body.byteLength },
    });
  const reply = fields(parsed);
  const whole = { usage: usageOf(reply), requestId: requestIdOf(response.headers) };
  const { choices } = reply;
  if (!Array.isArray(choices)) return { stop: 'provider_error', text: '', providerStop: null, ...whole };
  if (choices.length === 0) return { stop: 'empty', text: '', providerStop: null, ...whole };
  const messages = choices.map((choice: unknown) => fields(fields(choice)['message']));
  const reasons = choices.map((choice: unknown) => text(fields(choice)['finish_reason']).slice(0, 100) || null);
  const [providerStop = null] = reasons;
  const refusal = messages.map(refusalOf).join('');
  if (refusal !== '') return { stop: 'refused', text: refusal, providerStop, ...whole };
  const { texts, notes } = readTexts(messages);
  const ends = reasons.map((reason) => readFinishReason(reason, texts));
  const stop = ends.map((end) => end.stop).find((one) => one !== 'complete') ?? 'complete';
  const [written = '', ...moreTexts] = texts;
  return {
    stop: stop === 'complete' && texts.length === 0 ? 'empty' : stop,
    text: written,
    ...(moreTexts.length === 0 ? {} : { moreTexts }),
    notes: [...new Set([...notes, ...ends.flatMap((end) => end.notes ?? [])])],
    providerStop,
    ...whole,
  };
}
