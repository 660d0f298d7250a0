import type { HttpResponse } from '../../http/http-client.js';
import { type Fields, fields, readReplyFields, readRequestId, text, tokens } from '../http-provider/read-json.js';
import type { LlmReply, LlmUsage, ReplyNote } from '../llm-provider.js';
import { readFinishReason } from './openai-stop-reasons.js';

/** The vendor's id for support. */
export function readOpenAiRequestId(headers: Readonly<Record<string, string>>): string | null {
  return readRequestId(headers['x-request-id'] ?? headers['apim-request-id'] ?? headers['request-id']);
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
export function readOpenAiChatReply(response: HttpResponse, context: { host: string }): LlmReply {
  const reply = readReplyFields(response, context);
  const whole = { usage: usageOf(reply), requestId: readOpenAiRequestId(response.headers) };
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
