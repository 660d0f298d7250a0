import { refuseBlocks } from './slack-blocks-check.js';

/** A message as the server keeps it. */
export interface SlackServerMessage {
  channel: string;
  /** Seconds with six digits; unique, and later for later messages. */
  ts: string;
  text: string;
  blocks?: unknown;
  metadata?: { event_type: string; event_payload: Record<string, unknown> } | undefined;
  /** How many pages of history do not show it yet. */
  hiddenFor: number;
}

/** A conversation; posting needs membership, and none that is archived takes posts. */
export interface SlackConversation {
  isMember: boolean;
  isArchived: boolean;
}

/** All that the server knows. */
export interface SlackState {
  token: string;
  messages: SlackServerMessage[];
  conversations: Map<string, SlackConversation>;
  scopes: Set<string>;
  received: Uint8Array[];
  nextHiddenFor: number;
  clock: number;
  pageSize: number;
}

/** A JSON object, not checked. */
export type Fields = Readonly<Record<string, unknown>>;

/** The body as a JSON object; null for anything else. */
export function parse(body: Buffer): Fields | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** Seconds, strictly growing. */
function nextTs(state: SlackState): string {
  state.clock = Math.max(state.clock + 1, Date.now() * 1_000);
  return (state.clock / 1_000_000).toFixed(6);
}

function readMetadata(value: unknown): SlackServerMessage['metadata'] | 'invalid' {
  if (value === undefined) return undefined;
  const { event_type: type, event_payload: payload } = (value ?? {}) as Fields;
  if (typeof type !== 'string' || typeof payload !== 'object' || payload === null) return 'invalid';
  return { event_type: type, event_payload: { ...payload } };
}

/** Why a message is refused, in Slack's words; null where it is taken. */
export function refuseMessage(input: Fields): string | null {
  const { text, blocks, metadata } = input;
  if (text !== undefined && typeof text !== 'string') return 'invalid_arguments';
  if ((text ?? '') === '' && blocks === undefined) return 'no_text';
  if (typeof text === 'string' && text.length > 40_000) return 'msg_too_long';
  const blocksError = refuseBlocks(blocks);
  if (blocksError !== null) return blocksError;
  return readMetadata(metadata) === 'invalid' ? 'invalid_metadata_format' : null;
}

/** Keeps a message that was taken. */
export function save(state: SlackState, channel: string, input: Fields, body: Uint8Array): SlackServerMessage {
  const metadata = readMetadata(input['metadata']);
  const message: SlackServerMessage = {
    ...{ channel, ts: nextTs(state), text: String(input['text'] ?? ''), blocks: input['blocks'] },
    metadata: metadata === 'invalid' ? undefined : metadata,
    hiddenFor: state.nextHiddenFor,
  };
  state.nextHiddenFor = 0;
  state.messages.push(message);
  state.received.push(body);
  return message;
}

/** Why a conversation takes no post, in Slack's words; null where it does. */
export function refusePlace(state: SlackState, channel: unknown): string | null {
  const conversation = typeof channel === 'string' ? state.conversations.get(channel) : undefined;
  if (conversation === undefined) return 'channel_not_found';
  if (conversation.isArchived) return 'is_archived';
  return conversation.isMember ? null : 'not_in_channel';
}

/** One page, newest first; the cursor names the message that the next page begins with. */
export function listHistory(state: SlackState, input: Fields): object {
  const { channel, oldest = '0', limit = 100, cursor, include_all_metadata: withMetadata } = input;
  const all = state.messages.filter((one) => one.channel === channel && Number(one.ts) > Number(oldest)).reverse();
  const shown = all.filter((one) => one.hiddenFor === 0);
  for (const one of all) one.hiddenFor = Math.max(0, one.hiddenFor - 1);
  const start = cursor === undefined ? 0 : shown.findIndex(({ ts }) => ts === cursor);
  if (start < 0) return { ok: false, error: 'invalid_cursor' };
  const size = Math.min(Number(limit), state.pageSize, 999);
  const page = shown.slice(start, start + size);
  const next = shown[start + size]?.ts;
  return {
    ok: true,
    messages: page.map(({ hiddenFor: _, channel: __, metadata, ...one }) => ({
      type: 'message',
      ...one,
      // Without the flag the payload is left out.
      ...(metadata && { metadata: withMetadata === 'true' ? metadata : { event_type: metadata.event_type } }),
    })),
    has_more: next !== undefined,
    ...(next !== undefined && { response_metadata: { next_cursor: next } }),
  };
}
