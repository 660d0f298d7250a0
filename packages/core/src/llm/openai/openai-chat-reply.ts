import type { HttpResponse } from '../../http/http-client.js';
import { assembleReply, chooseTexts, writeArguments } from '../http-provider/assemble-reply.js';
import {
  type Fields,
  fields,
  items,
  readReplyFields,
  readRequestId,
  text,
  tokens,
} from '../http-provider/read-json.js';
import type { LlmReply, LlmUsage } from '../llm-provider.js';
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

/** Arguments of every call of a tool, in order; the field that tool calls replaced is last. */
function readCalls(message: Fields): { calls: readonly string[]; legacy: string } {
  const written = (call: unknown): string => writeArguments(fields(call)['arguments']);
  const calls = items(message['tool_calls']).map((call) => written(fields(call)['function']));
  return { calls, legacy: written(message['function_call']) };
}

/**
 * What the model wrote: the arguments of its calls, else its text. More than one choice was not
 * asked for, and none is left unread.
 */
function readTexts(messages: readonly Fields[]): ReturnType<typeof chooseTexts> {
  const read = messages.map(readCalls);
  const calls = read.flatMap((one) => [...one.calls, one.legacy]);
  const { texts, notes } = chooseTexts({ calls, contents: messages.map(contentOf) });
  const isLegacy = read.some((one) => one.legacy.trim() !== '' && !one.calls.includes(one.legacy));
  return { texts, notes: isLegacy ? [...notes, 'legacy_function_call'] : notes };
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
  const texts = readTexts(messages);
  const ends = reasons.map((reason) => readFinishReason(reason, texts.texts));
  const stop = ends.map((end) => end.stop).find((one) => one !== 'complete') ?? 'complete';
  return assembleReply(texts, { stop, notes: ends.flatMap((end) => end.notes ?? []) }, { providerStop, ...whole });
}
