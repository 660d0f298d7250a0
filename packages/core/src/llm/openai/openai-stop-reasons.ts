import { type ReplyEnd, readUnknownStop } from '../http-provider/assemble-reply.js';
import type { StopState } from '../llm-provider.js';

/** What Chat Completions documents, and other vendors' words for the same that compatible servers pass on. */
const known: Readonly<Record<string, StopState>> = {
  stop: 'complete',
  tool_calls: 'complete',
  function_call: 'complete',
  length: 'truncated_output',
  max_tokens: 'truncated_output',
  max_output_tokens: 'truncated_output',
  model_length: 'truncated_output',
  model_context_window_exceeded: 'context_overflow',
  content_filter: 'content_filtered',
  content_filtered: 'content_filtered',
  guardrail_intervened: 'content_filtered',
  safety: 'content_filtered',
  recitation: 'content_filtered',
  prohibited_content: 'content_filtered',
  refusal: 'refused',
};

/** Other vendors' words for a reply that ended by itself: read, with a note. */
const otherEnds: ReadonlySet<string> = new Set([
  'end',
  'end_turn',
  'end_of_turn',
  'eos',
  'eos_token',
  'stop_sequence',
  'stop_token',
  'tool_use',
  'complete',
  'completed',
  'done',
]);

/** Words for a generation that broke off: never read, whatever the text looks like. */
const failures: ReadonlySet<string> = new Set([
  'error',
  'failed',
  'aborted',
  'abort',
  'cancelled',
  'canceled',
  'timeout',
  'pause_turn',
  'malformed_function_call',
  'insufficient_system_resource',
]);

/** The meaning of a Chat Completions `finish_reason`, in any case of letters; `texts` are what the model wrote. */
export function readFinishReason(reason: string | null, texts: readonly string[]): ReplyEnd {
  const word = reason?.toLowerCase() ?? '';
  if (Object.hasOwn(known, word)) return { stop: known[word] ?? 'provider_error', notes: [] };
  if (otherEnds.has(word)) return { stop: 'complete', notes: ['unknown_stop'] };
  return failures.has(word) ? { stop: 'provider_error', notes: [] } : readUnknownStop(texts);
}
