import { CriticizerError } from '../../foundation/errors.js';
import type { JsonObject, JsonValue } from '../../foundation/json.js';
import { isJsonRecord } from '../../review/json/strict-json.js';
import type { Finding, ReviewResult } from '../../review/review-result.js';
import type { ReplyRedaction } from './reply-redaction.js';

function mapTexts(value: JsonValue, map: (text: string) => string): JsonValue {
  if (typeof value === 'string') return map(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, map));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapTexts(one as JsonValue, map)]));
}

/** A key that two others were redacted to keeps both values. */
function freeKey(key: string, taken: ReadonlySet<string>): string {
  let free = key;
  for (let n = 2; taken.has(free); n += 1) free = `${key} (${n})`;
  return free;
}

function mapKeys(value: JsonValue, map: (text: string) => string): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => mapKeys(one, map));
  const taken = new Set<string>();
  const entries = Object.entries(value).map(([key, one]): [string, JsonValue] => {
    const free = freeKey(map(key), taken);
    taken.add(free);
    return [free, mapKeys(one as JsonValue, map)];
  });
  return Object.fromEntries(entries);
}

/** The model's own meta: keys and values, then the whole as JSON, since a value may be a secret by its key alone. */
function redactModelMeta(meta: JsonValue, text: (value: string) => string): JsonValue {
  const whole = text(JSON.stringify(mapKeys(mapTexts(meta, text), text)));
  try {
    return JSON.parse(whole) as JsonValue;
  } catch {
    // A mark broke the JSON: nothing of it can be used.
    return '[REDACTED]';
  }
}

function redactMeta({ model_meta, ...own }: JsonObject, text: (value: string) => string): JsonObject {
  const redacted = mapTexts(own, text);
  // Our own keys: ids, and the names of the schema.
  const meta = isJsonRecord(redacted) ? (redacted as JsonObject) : {};
  return model_meta === undefined ? meta : { ...meta, model_meta: redactModelMeta(model_meta, text) };
}

/**
 * A copy of the review that may be stored as redacted: a model's text may repeat, or invent, what
 * must not rest in a mail (ruling R15). The ids are ours and `file` is a path of the redacted
 * change; all else goes through `redaction`. Throws `REDACTION_FAILED` (policy) where a rule fails.
 */
export function redactReview(result: ReviewResult, redaction: ReplyRedaction): ReviewResult {
  const text = (value: string): string => redaction.redact(value);
  const redactFinding = (one: Finding): Finding => ({
    ...one,
    title: text(one.title),
    message: text(one.message),
    ...(one.suggestion === undefined ? {} : { suggestion: text(one.suggestion) }),
    ...(one.rule_id === undefined ? {} : { rule_id: text(one.rule_id) }),
  });
  try {
    return {
      ...result,
      ...(result.summary === undefined ? {} : { summary: text(result.summary) }),
      findings: result.findings.map(redactFinding),
      ...(result.meta === undefined ? {} : { meta: redactMeta(result.meta, text) }),
    };
  } catch {
    throw new CriticizerError('REDACTION_FAILED', 'A redaction rule failed on a reply; it is not used.', {
      category: 'policy',
    });
  }
}
