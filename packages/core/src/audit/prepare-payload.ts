import { isJsonObject, type JsonObject, type JsonValue } from '../foundation/json.js';
import type { PayloadRedactor, RedactionMeta } from '../foundation/redactor.js';
import { type BoundTexts, boundTexts } from './bound-texts.js';
import { toStorableJson } from './storable-json.js';
import { metaNames, renameGiven, truncatePayload } from './truncation/truncate-payload.js';

/** True for what `boundTexts` makes of an object, false for bytes, dates and lists. */
function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** The caller's members under names of their own: the metas of an event are ours alone. */
function withoutMetas(value: unknown): Record<string, unknown> {
  let members: Record<string, unknown> = isPlain(value) ? value : { value };
  for (const name of Object.values(metaNames)) members = renameGiven(members, name);
  return members;
}

/** The notes of the copy, as members of `_audit_meta`. */
function noteCuts({ cutCount, cuts, isMinimum }: BoundTexts): JsonObject {
  return {
    ...(cutCount === 0 ? {} : { cut_count: cutCount, cuts: cuts.map((cut) => ({ ...cut })) }),
    ...(isMinimum ? { bytes_original_is_minimum: true } : {}),
  };
}

/** Paths of cuts as the redactor left them: a path holds names that the caller chose. */
function readCutPaths(meta: JsonValue | undefined): string[] {
  const cuts = isJsonObject(meta) ? meta['cuts'] : undefined;
  if (!Array.isArray(cuts)) return [];
  return cuts.flatMap((cut: JsonValue) => {
    const path = isJsonObject(cut) ? cut['path'] : undefined;
    return typeof path === 'string' ? [path] : [];
  });
}

/** A payload as JSON that every store holds, with the meta of its redaction. */
function redactMembers(redactor: PayloadRedactor, members: Record<string, unknown>): JsonObject {
  let redacted: { value: JsonValue; meta: RedactionMeta };
  try {
    redacted = redactor.redact(members);
  } catch {
    // The admin write must not fail, and what was thrown may quote the payload.
    const meta = { fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
    redacted = { value: { withheld: 'redaction failed' }, meta: { rule_version: redactor.ruleVersion, ...meta } };
  }
  const { rule_version, fields_redacted_count, patterns_redacted_count, redacted_paths } = redacted.meta;
  const object = isJsonObject(redacted.value) ? redacted.value : { value: redacted.value };
  const storable = toStorableJson({
    ...object,
    [metaNames.redaction]: { rule_version, fields_redacted_count, patterns_redacted_count, redacted_paths },
  });
  const payload = storable.value as JsonObject;
  if (storable.replacedCount === 0) return payload;
  const before = payload[metaNames.audit];
  const facts = { replaced_count: storable.replacedCount, replaced_paths: [...storable.replacedPaths] };
  return { ...payload, [metaNames.audit]: isJsonObject(before) ? { ...before, ...facts } : facts };
}

/**
 * Cuts, redacts, makes storable and truncates (AUD-5..11, ruling R5: in this order). `facts` go
 * through the redactor with the rest and go into `_audit_meta`. The result carries
 * `_redaction_meta` and `_truncation_meta`; a caller's own members of these names are stored as
 * `<name>_given`. Never throws.
 */
export function preparePayload(redactor: PayloadRedactor, given: unknown, facts: JsonObject): JsonObject {
  const bound = boundTexts(given ?? null);
  const members = withoutMetas(bound.value);
  const notes = { ...facts, ...noteCuts(bound) };
  if (Object.keys(notes).length > 0) members[metaNames.audit] = notes;
  const payload = redactMembers(redactor, members);
  return truncatePayload(payload, {
    bytesOriginal: given === undefined ? 0 : bound.bytesOriginal,
    paths: readCutPaths(payload[metaNames.audit]),
    count: bound.cutCount,
  });
}
