import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../foundation/json.js';
import { type ContentLevel, contentLevels } from '../../foundation/outbound.js';
import { decodeMessage, describeProblems, type EncodedMessage, encodeMessage, FORMAT } from './frozen-message.js';

/** A message to a channel, frozen once: every attempt, in any process, sends this body (NOT-5). */
export interface FrozenPost {
  /** Id of the channel that sends it. */
  channel: string;
  /** The place in the channel: a room, a topic, an end point; unique among the posts of one review. */
  target: string;
  /** What the channel sends, as it planned it; at most 1,000,000 bytes as JSON. */
  body: JsonObject;
  /** What the body holds of a review. */
  content: ContentLevel;
  /** Frozen at planning, never the time of an attempt. */
  date: Date;
}

const KIND = 'post';
const MAX_BODY_BYTES = 1_000_000;
const MAX_DEPTH = 64;

/** 1 to 64 characters: letters, digits, dot, dash and underscore. */
export const channelIdForm = /^[A-Za-z0-9_.-]{1,64}$/;
/** 1 to 255 characters without white space at an end, controls or unpaired surrogates. */
const targetForm = /^(?!\s)[^\p{Cc}\p{Cs}]{1,255}(?<!\s)$/u;

const frozenPostSchema = z.strictObject({
  format: z.literal(FORMAT),
  kind: z.literal(KIND),
  channel: z.string().regex(channelIdForm),
  target: z.string().regex(targetForm),
  content: z.enum(contentLevels),
  date: z.iso.datetime({ precision: 3 }),
  body: z.record(z.string(), z.json()),
});

/** Members sorted by their names, so that equal bodies have equal bytes however they were put together. */
function sorted(value: JsonValue, depth: number): JsonValue {
  if (depth > MAX_DEPTH) throw new TypeError(`encodeFrozenPost: body: expected at most ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((one) => sorted(one, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, one]) => [name, sorted(one, depth + 1)]));
}

/**
 * Freezes a post (NOT-5): the same post gives the same bytes in every process. Throws `TypeError`,
 * naming the field, for a body that JSON cannot carry or that is too large, a target that is none, or
 * an invalid date.
 */
export function encodeFrozenPost(post: FrozenPost): EncodedMessage {
  if (!(post.date instanceof Date) || Number.isNaN(post.date.getTime()))
    throw new TypeError('encodeFrozenPost: date: expected a valid Date');
  const { channel, target, content } = post;
  const head = { format: FORMAT, kind: KIND, channel, target, content, date: post.date.toISOString() };
  const canonical = { ...head, body: sorted(post.body, 0) };
  const checked = frozenPostSchema.safeParse(canonical);
  if (!checked.success) throw new TypeError(`encodeFrozenPost: ${describeProblems(checked.error)}`);
  const encoded = encodeMessage(canonical);
  if (encoded.bytes.byteLength > MAX_BODY_BYTES)
    throw new TypeError(`encodeFrozenPost: body: expected at most ${MAX_BODY_BYTES} bytes`);
  return encoded;
}

/**
 * Reads a frozen post back, checked as strictly as it was written. Throws `MAIL_DIGEST_MISMATCH`,
 * `MAIL_UNREADABLE` and `MESSAGE_KIND_UNKNOWN` as `decodeFrozenMail` does.
 */
export function decodeFrozenPost(bytes: Uint8Array, sha256: string): FrozenPost {
  const { format: _format, kind: _kind, date, body, ...rest } = decodeMessage(bytes, sha256, KIND, frozenPostSchema);
  return { ...rest, body: body as JsonObject, date: new Date(date) };
}
