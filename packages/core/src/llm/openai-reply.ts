import { CriticizerError } from '../errors.js';
import type { HttpResponse } from '../http/http-client.js';
import type { LlmReply, LlmUsage, StopState } from './llm-provider.js';

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
  return { inputTokens: tokens(usage['prompt_tokens']), outputTokens: tokens(usage['completion_tokens']) };
}

function contentOf(message: Fields): string {
  const { content } = message;
  if (Array.isArray(content)) return content.map((part) => text(fields(part)['text'])).join('');
  return text(content);
}

function toolArgumentsOf(message: Fields): string {
  const calls = message['tool_calls'];
  const args = fields(fields(Array.isArray(calls) ? calls[0] : undefined)['function'])['arguments'];
  return typeof args === 'object' && args !== null ? JSON.stringify(args) : text(args);
}

function refusalOf(message: Fields): string {
  const { content } = message;
  const parts = Array.isArray(content) ? content.map((part) => text(fields(part)['refusal'])).join('') : '';
  return text(message['refusal']) || parts;
}

/** A reason not in here is `provider_error`: only a reply known to be whole is read as a review. */
const stops: Readonly<Record<string, StopState>> = {
  stop: 'complete',
  tool_calls: 'complete',
  length: 'truncated_output',
  content_filter: 'content_filtered',
};

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
  const choice = fields(choices[0]);
  const message = fields(choice['message']);
  const providerStop = text(choice['finish_reason']).slice(0, 100) || null;
  if (refusalOf(message) !== '') return { stop: 'refused', text: refusalOf(message), providerStop, ...whole };
  const written = contentOf(message).trim() === '' ? toolArgumentsOf(message) : contentOf(message);
  const stop = (providerStop !== null && Object.hasOwn(stops, providerStop) ? stops[providerStop] : undefined) ?? 'provider_error';
  return { stop: stop === 'complete' && written.trim() === '' ? 'empty' : stop, text: written, providerStop, ...whole };
}
