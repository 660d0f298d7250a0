import type { DiagnosticsCollector, ReasonCode } from '../diagnostics.js';
import { isJsonRecord } from '../json/strict-json.js';
import { type Finding, findingSchema } from '../review-result.js';

const SHAPE = findingSchema.shape;
const FIELDS = Object.keys(SHAPE) as readonly (keyof typeof SHAPE)[];
const OPTIONAL: ReadonlySet<string> = new Set(FIELDS.filter((field) => SHAPE[field].safeParse(undefined).success));
const REQUIRED = FIELDS.filter((field) => !OPTIONAL.has(field));

/** The finding as far as it could be read, for diagnostics. */
export function placeOf(raw: unknown, index: number): { index: number; findingId: string | null } {
  const id = isJsonRecord(raw) ? raw['id'] : undefined;
  return { index, findingId: typeof id === 'string' && id.trim() !== '' ? id.trim().slice(0, 200) : null };
}

/** Normalises one scalar as OUT-4 allows and no further. */
function coerce(field: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const trimmed = value.trim();
  if (field === 'file') return trimmed.replaceAll('\\', '/');
  // "12.0" is integral too; digits are bounded, so that no text turns into an unsafe number.
  if (field === 'line' || field === 'end_line')
    return /^[+-]?[0-9]{1,15}(?:\.0{1,9})?$/.test(trimmed) ? Number(trimmed) : trimmed;
  return trimmed;
}

/** Copies the documented fields, coerced; every change is told (INV-4). */
function copyFields(
  raw: Record<string, unknown>,
  index: number,
  diagnostics: DiagnosticsCollector,
): Record<string, unknown> {
  const place = placeOf(raw, index);
  const copy: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(raw)) {
    if (!Object.hasOwn(SHAPE, field)) {
      diagnostics.add({ code: 'unknown_key_stripped', ...place, field: String(diagnostics.value('key', field)) });
    } else if (value === null) {
      // Absent: an optional field is left out; a required one is missing, and the finding's drop says so.
      if (OPTIONAL.has(field)) diagnostics.add({ code: 'null_as_absent', ...place, field });
    } else {
      const coerced = coerce(field, value);
      copy[field] = coerced;
      if (coerced !== value) {
        const [oldValue, newValue] = [diagnostics.value(field, value), diagnostics.value(field, coerced)];
        diagnostics.add({ code: 'coercion_applied', ...place, field, oldValue, newValue });
      }
    }
  }
  return copy;
}

/**
 * Why the schema refuses `copy`: a missing field first, then its first fault in the schema's order;
 * null where it does not.
 */
function faultOf(copy: Record<string, unknown>): { reason: ReasonCode; field: string | null } | null {
  const missing = REQUIRED.find((field) => copy[field] === undefined);
  if (missing !== undefined) return { reason: 'missing_required_field', field: missing };
  const checked = findingSchema.safeParse(copy);
  if (checked.success) {
    const { line, end_line } = checked.data;
    return end_line !== undefined && end_line < line ? { reason: 'invalid_line_range', field: 'end_line' } : null;
  }
  const issue = checked.error.issues[0];
  const field = String(issue?.path[0] ?? '');
  const value = copy[field];
  const isLine = field === 'line' || field === 'end_line';
  if (isLine)
    return {
      reason: typeof value === 'number' || typeof value === 'string' ? 'invalid_line_range' : 'schema_mismatch',
      field,
    };
  return { reason: issue?.code === 'invalid_value' ? 'invalid_enum_value' : 'schema_mismatch', field };
}

/** Notes the drop of a finding, with file and line where they can be read (OUT-6). */
export function dropFinding(
  raw: unknown,
  index: number,
  fault: { reason: ReasonCode; field: string | null; matches?: number },
  diagnostics: DiagnosticsCollector,
): void {
  const { file, line } = isJsonRecord(raw) ? raw : { file: undefined, line: undefined };
  const readable = coerce('line', line);
  diagnostics.add({
    code: 'finding_dropped',
    ...placeOf(raw, index),
    ...fault,
    file: typeof file === 'string' ? String(diagnostics.value('file', coerce('file', file))) : null,
    line: typeof readable === 'number' && Number.isSafeInteger(readable) ? readable : null,
  });
}

/** Step 3 of validation: one finding, alone. Null where it is dropped (OUT-4, OUT-5). */
export function readFinding(raw: unknown, index: number, diagnostics: DiagnosticsCollector): Finding | null {
  if (!isJsonRecord(raw)) {
    dropFinding(raw, index, { reason: 'schema_mismatch', field: null }, diagnostics);
    return null;
  }
  const copy = copyFields(raw, index, diagnostics);
  const fault = faultOf(copy);
  if (fault === null) return findingSchema.parse(copy);
  dropFinding(copy, index, fault, diagnostics);
  return null;
}
