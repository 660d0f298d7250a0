import type { DiagnosticsCollector, ReasonCode } from '../diagnostics.js';
import { isJsonRecord } from '../json/strict-json.js';
import { reviewResultSchema } from '../review-result.js';

/** What the prompt pinned (PR-1). */
export interface ExpectedVersions {
  promptVersion: string;
  schemaVersion: string;
  /** Accept another patch of the same prompt `major.minor` (PR-2). Default false. */
  promptPatchDrift?: boolean | undefined;
}

/** The top level of a reply, before any finding is read. */
export interface Envelope {
  schemaVersion: string;
  promptVersion: string;
  summary: string | undefined;
  /** Unread. */
  findings: readonly unknown[];
  /** The model's own meta, unread and unbounded. */
  meta: Record<string, unknown> | undefined;
}

export type EnvelopeOutcome = { envelope: Envelope } | { rejected: { reason: ReasonCode; field: string | null } };

const TOP_LEVEL: ReadonlySet<string> = new Set(Object.keys(reviewResultSchema.shape));
const TOP = { index: null, findingId: null };

function segments(version: string): readonly number[] {
  return version.split('.').map(Number);
}

/** Exact, or a newer minor of the same major (PR-2). */
export function acceptsSchemaVersion(given: string, expected: string): boolean {
  const [major, minor] = segments(given);
  const [wantedMajor, wantedMinor] = segments(expected);
  return major === wantedMajor && minor !== undefined && wantedMinor !== undefined && minor >= wantedMinor;
}

/**
 * The oldest schema version of each major that this parser reads; newer minors of it are read, too
 * (PR-2). A prompt variant of another one is refused where it is registered (PR-4).
 */
export const readableSchemas: readonly string[] = ['1.0'];

/** Whether replies of this schema version can be read here. */
export function canReadSchema(version: string): boolean {
  return /^\d+\.\d+$/.test(version) && readableSchemas.some((oldest) => acceptsSchemaVersion(version, oldest));
}

/** Exact; with `patchDrift`, another patch of the same major and minor (PR-2). */
export function acceptsPromptVersion(given: string, expected: string, patchDrift = false): boolean {
  if (given === expected) return true;
  const [major, minor] = segments(given);
  const [wantedMajor, wantedMinor] = segments(expected);
  return patchDrift && major === wantedMajor && minor === wantedMinor;
}

function readVersion(
  value: unknown,
  field: 'schema_version' | 'prompt_version',
  diagnostics: DiagnosticsCollector,
): string | ReasonCode {
  if (value === undefined || value === null) return 'missing_required_field';
  if (typeof value !== 'string') return 'schema_mismatch';
  const trimmed = value.trim();
  if (!reviewResultSchema.shape[field].safeParse(trimmed).success) return 'schema_mismatch';
  if (trimmed !== value) {
    diagnostics.add({
      code: 'coercion_applied',
      ...TOP,
      field,
      oldValue: diagnostics.value(field, value),
      newValue: trimmed,
    });
  }
  return trimmed;
}

function readSummary(value: unknown, diagnostics: DiagnosticsCollector): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') {
    diagnostics.add({ code: value === null ? 'null_as_absent' : 'field_dropped', ...TOP, field: 'summary' });
    return undefined;
  }
  const trimmed = value.trim();
  if (trimmed !== value) {
    const [oldValue, newValue] = [diagnostics.value('summary', value), diagnostics.value('summary', trimmed)];
    diagnostics.add({ code: 'coercion_applied', ...TOP, field: 'summary', oldValue, newValue });
  }
  return trimmed;
}

function readMeta(value: unknown, diagnostics: DiagnosticsCollector): Record<string, unknown> | undefined {
  if (value === undefined || isJsonRecord(value)) return value;
  diagnostics.add({ code: value === null ? 'null_as_absent' : 'field_dropped', ...TOP, field: 'meta' });
  return undefined;
}

/**
 * Step 2 of validation: shape, then both versions, before any finding is looked at (OUT-2, OUT-3,
 * PR-1, PR-2). Undocumented keys are on no list that rejects: they are stripped and told; so are
 * optional fields of another type.
 */
export function readEnvelope(
  value: unknown,
  expected: ExpectedVersions,
  diagnostics: DiagnosticsCollector,
): EnvelopeOutcome {
  if (!isJsonRecord(value)) return { rejected: { reason: 'schema_mismatch', field: null } };
  const versions: string[] = [];
  for (const field of ['schema_version', 'prompt_version'] as const) {
    const read = readVersion(Object.hasOwn(value, field) ? value[field] : undefined, field, diagnostics);
    if (read === 'missing_required_field' || read === 'schema_mismatch') return { rejected: { reason: read, field } };
    versions.push(read);
  }
  const [schemaVersion = '', promptVersion = ''] = versions;
  const findings = value['findings'];
  if (findings === undefined || findings === null)
    return { rejected: { reason: 'missing_required_field', field: 'findings' } };
  if (!Array.isArray(findings)) return { rejected: { reason: 'schema_mismatch', field: 'findings' } };
  if (!acceptsSchemaVersion(schemaVersion, expected.schemaVersion)) {
    return { rejected: { reason: 'incompatible_version', field: 'schema_version' } };
  }
  if (!acceptsPromptVersion(promptVersion, expected.promptVersion, expected.promptPatchDrift)) {
    return { rejected: { reason: 'incompatible_version', field: 'prompt_version' } };
  }
  for (const key of Object.keys(value)) {
    if (!TOP_LEVEL.has(key))
      diagnostics.add({ code: 'unknown_key_stripped', ...TOP, field: String(diagnostics.value('key', key)) });
  }
  const summary = readSummary(value['summary'], diagnostics);
  const meta = readMeta(value['meta'], diagnostics);
  return { envelope: { schemaVersion, promptVersion, summary, findings, meta } };
}
