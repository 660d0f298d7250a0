import { createHash } from 'node:crypto';
import { canonicalJson } from '../../foundation/canonical-json.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../foundation/json.js';
import { maxAuditTextBytes } from '../../stores/input/new-audit-event.js';
import { truncateText } from '../truncate-text.js';
import { PathList } from './path-list.js';
import { buildTree, type NameRule, type PayloadNode, toJson } from './payload-tree.js';
import { capScalars, type Truncation, truncateUntilFits } from './truncation-steps.js';

/** Most UTF-8 bytes of a stored payload as compact JSON, both metas included (AUD-10, ruling R5). */
export const maxAuditPayloadBytes = 65_536;
/** Version of the rules of this folder; in every `_truncation_meta`. */
export const truncationRuleVersion = '1';
/** Names of the root's members that say what was done to a payload. */
export const metaNames = {
  redaction: '_redaction_meta',
  truncation: '_truncation_meta',
  audit: '_audit_meta',
} as const;

/** A meta beyond this size is content like any other, so that the metas alone never reach the cap. */
const MAX_PROTECTED_BYTES = 16_384;

/** What was cut from a payload before redaction. */
export interface CutBefore {
  /** UTF-8 bytes of the payload's JSON as the caller passed it. */
  bytesOriginal: number;
  /** JSON paths of what was cut. */
  paths: readonly string[];
  /** How many places were cut; may exceed the number of paths. */
  count: number;
}

const sha256 = (json: string): string => createHash('sha256').update(json).digest('hex');

/** A payload whose own `_truncation_meta` is true of it, and that is within the cap: nothing is left to do. */
function isTruncated(payload: JsonObject): boolean {
  const { [metaNames.truncation]: meta, ...content } = payload;
  if (!isJsonObject(meta) || meta['rule_version'] !== truncationRuleVersion) return false;
  const json = canonicalJson(content);
  return (
    meta['content_hash_sha256_after'] === sha256(json) &&
    meta['bytes_final'] === Buffer.byteLength(json) &&
    Buffer.byteLength(canonicalJson(payload)) <= maxAuditPayloadBytes
  );
}

/** `_redaction_meta` with a list of paths that cannot fill the payload; another value as it is. */
function boundRedactionMeta(meta: JsonValue): JsonValue {
  if (!isJsonObject(meta) || !Array.isArray(meta['redacted_paths'])) return meta;
  const given: readonly JsonValue[] = meta['redacted_paths'];
  const before = meta['redacted_paths_count'];
  const list = new PathList();
  for (const path of given) if (typeof path === 'string') list.add(path);
  if (list.paths.length === given.length) return meta;
  return {
    ...meta,
    redacted_paths: [...list.paths],
    redacted_paths_count: typeof before === 'number' ? before : given.length,
  };
}

/** Cuts a member's name of more than 2,048 bytes. */
const capName: NameRule = (name, taken) => {
  const capped = truncateText(name, maxAuditTextBytes);
  let free = capped;
  for (let n = 2; taken.has(free); n += 1) free = `${truncateText(name, maxAuditTextBytes - 8)}_${n}`;
  return free;
};

function isProtected(node: PayloadNode): boolean {
  const isMeta = node.step === metaNames.redaction || node.step === metaNames.audit;
  return isMeta && node.parent?.parent === null && node.bytes <= MAX_PROTECTED_BYTES;
}

/** The members of `payload`, with the name `<name>_given`, or the next free one, for a caller's own `name`. */
export function renameGiven<Value>(payload: Readonly<Record<string, Value>>, name: string): Record<string, Value> {
  if (!Object.hasOwn(payload, name)) return payload as Record<string, Value>; // a copy of many members is dear
  const { [name]: given, ...rest } = payload;
  if (given === undefined) return rest;
  let free = `${name}_given`;
  for (let n = 2; Object.hasOwn(rest, free); n += 1) free = `${name}_given_${n}`;
  return { ...rest, [free]: given } as Record<string, Value>;
}

/** The content that the steps work on: the caller's members and the event's own metas but `_truncation_meta`. */
function toContent(payload: JsonObject): JsonObject {
  const content = renameGiven(payload, metaNames.truncation);
  const redaction = content[metaNames.redaction];
  return redaction === undefined ? content : { ...content, [metaNames.redaction]: boundRedactionMeta(redaction) };
}

/** What `_truncation_meta` says, and how many bytes it takes in the payload, its name included. */
class MetaWriter {
  readonly dropped = new PathList();
  readonly truncated: PathList;
  private readonly bytesOriginal: number;
  private readonly hashBefore: string;
  private readonly emptyBytes: number;

  constructor(json: string, cutBefore: CutBefore | undefined) {
    this.truncated = new PathList((cutBefore?.count ?? 0) - new Set(cutBefore?.paths).size);
    for (const path of cutBefore?.paths ?? []) this.truncated.add(path);
    this.bytesOriginal = cutBefore?.bytesOriginal ?? Buffer.byteLength(json);
    this.hashBefore = sha256(json);
    const empty = { ...this.write(0, this.hashBefore), applied: false, dropped_paths: [], truncated_paths: [] };
    this.emptyBytes = `"${metaNames.truncation}":,`.length + JSON.stringify(empty).length - 1;
  }

  write(bytesFinal: number, hashAfter: string): JsonObject {
    return {
      applied: this.dropped.count > 0 || this.truncated.count > 0,
      rule_version: truncationRuleVersion,
      bytes_original: this.bytesOriginal,
      bytes_final: bytesFinal,
      ...this.dropped.toMeta('dropped_paths'),
      ...this.truncated.toMeta('truncated_paths'),
      content_hash_sha256_before: this.hashBefore,
      content_hash_sha256_after: hashAfter,
    };
  }

  measure(bytesFinal: number): number {
    const lists = this.dropped.metaBytes('dropped_paths') + this.truncated.metaBytes('truncated_paths');
    return this.emptyBytes + String(bytesFinal).length + lists;
  }
}

/**
 * Truncates a redacted payload and gives it its `_truncation_meta` (AUD-9..11, ruling R5): texts and
 * names of at most 2,048 bytes, the whole with its metas at most 65,536 bytes of compact JSON.
 * `bytes_final` and `content_hash_sha256_after` cover the canonical JSON of all members but
 * `_truncation_meta`; `content_hash_sha256_before` the same before the first cut. Expects JSON of at
 * most some hundred levels.
 *
 * Deterministic whatever the order of members, and idempotent: a payload whose meta is true of it
 * comes back as it is. Linear in the payload, but for sorting texts and containers by size.
 */
export function truncatePayload(payload: JsonObject, cutBefore?: CutBefore): JsonObject {
  if (isTruncated(payload)) return payload;
  const content = toContent(payload);
  const meta = new MetaWriter(canonicalJson(content), cutBefore);
  const root = buildTree(content, capName);
  const run: Truncation = {
    root,
    isProtected,
    dropped: meta.dropped,
    truncated: meta.truncated,
    fits: () => root.bytes + meta.measure(root.bytes) <= maxAuditPayloadBytes,
  };
  capScalars(run);
  truncateUntilFits(run);
  const stored = toJson(root) as JsonObject;
  return { ...stored, [metaNames.truncation]: meta.write(root.bytes, sha256(canonicalJson(stored))) };
}
