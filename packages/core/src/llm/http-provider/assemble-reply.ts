import type { LlmReply, ReplyNote, StopState } from '../llm-provider.js';

/** What a model wrote, by kind, in order. */
export interface WrittenTexts {
  /** Arguments of its tool calls, each as JSON text. */
  calls: readonly string[];
  /** Its messages. */
  contents: readonly string[];
}

/** The texts to read: the arguments of calls win over prose beside them. Repeated and blank texts are left out. */
export function chooseTexts({ calls, contents }: WrittenTexts): {
  texts: readonly string[];
  notes: readonly ReplyNote[];
} {
  const once = (texts: readonly string[]): readonly string[] => [...new Set(texts)].filter((one) => one.trim() !== '');
  const [args, prose] = [once(calls), once(contents)];
  if (args.length === 0) return { texts: prose, notes: prose.length > 1 ? ['several_choices'] : [] };
  const notes: ReplyNote[] = [];
  if (prose.length > 0) notes.push('text_beside_tool_call');
  if (args.length > 1) notes.push('several_tool_calls');
  return { texts: args, notes };
}

/** Arguments of a call as JSON text; vendors give them parsed, or as text. */
export function writeArguments(args: unknown): string {
  return typeof args === 'object' && args !== null ? JSON.stringify(args) : typeof args === 'string' ? args : '';
}

/** How a reply ended, and what there is to note about it. */
export type ReplyEnd = Pick<LlmReply, 'stop' | 'notes'>;

/** A reply of texts; a complete one without text is `empty`. */
export function assembleReply(
  { texts, notes }: ReturnType<typeof chooseTexts>,
  end: ReplyEnd,
  rest: Pick<LlmReply, 'usage' | 'requestId' | 'providerStop'>,
): LlmReply {
  const [text = '', ...moreTexts] = texts;
  return {
    stop: end.stop === 'complete' && texts.length === 0 ? 'empty' : end.stop,
    text,
    ...(moreTexts.length === 0 ? {} : { moreTexts }),
    notes: [...new Set([...notes, ...(end.notes ?? [])])],
    ...rest,
  };
}

function isWholeObject(text: string): boolean {
  const bare = text
    .trim()
    .replace(/^```[a-z]{0,10}\n/i, '')
    .replace(/\n```$/, '');
  try {
    const value: unknown = JSON.parse(bare);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/**
 * What a stop reason means that the provider does not know, or that is missing: `complete` with the
 * note `unknown_stop` where every text of the reply is one whole JSON object, so that nothing can
 * have been cut off; else `provider_error`.
 */
export function readUnknownStop(texts: readonly string[]): ReplyEnd {
  return texts.length > 0 && texts.every(isWholeObject)
    ? { stop: 'complete', notes: ['unknown_stop'] }
    : { stop: 'provider_error', notes: [] };
}

/** The meaning of a vendor's stop reason by its table; `readUnknownStop` for a reason that the table has not. */
export function readStop(
  table: Readonly<Record<string, StopState>>,
  reason: string,
  texts: readonly string[],
): ReplyEnd {
  const stop = Object.hasOwn(table, reason) ? table[reason] : undefined;
  return stop === undefined ? readUnknownStop(texts) : { stop, notes: [] };
}
