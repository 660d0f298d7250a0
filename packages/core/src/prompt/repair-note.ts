import type { Diagnostic, FindingDropped, ReasonCode, ResponseRejected } from '../review/diagnostics.js';
import { CATEGORIES, CONFIDENCES, reviewResultSchema, SEVERITIES } from '../review/review-result.js';
import type { PromptVersions } from './prompt-variant.js';

/** Indexes named for one kind of fault. */
const MAX_INDEXES = 20;

const FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(reviewResultSchema.shape),
  ...Object.keys(reviewResultSchema.shape.findings.element.shape),
]);

const ENUMS: Readonly<Record<string, readonly string[]>> = {
  severity: SEVERITIES,
  category: CATEGORIES,
  confidence: CONFIDENCES,
};

function listValues(field: string): string {
  const values = Object.hasOwn(ENUMS, field) ? (ENUMS[field] ?? []) : [];
  return `Allowed values: ${values.map((value) => `"${value}"`).join(', ')}.`;
}

const HINTS: Readonly<Record<ReasonCode, (field: string, versions: PromptVersions) => string>> = {
  invalid_json: () =>
    'Answer with exactly one JSON object, nothing before or after it, every string closed and escaped.',
  schema_mismatch: () => 'It does not have the type or form that the output rules name.',
  missing_required_field: () => 'It is required.',
  invalid_enum_value: listValues,
  invalid_line_range: () =>
    'A whole number from 1, printed left of a new line in the diff; end_line is not below line.',
  file_not_in_changed_files: () =>
    'Copy one line of the changed_files block, character by character, and leave out findings about other files.',
  incompatible_version: (_field, { schemaVersion, promptVersion }) =>
    `Write "schema_version": "${schemaVersion}" and "prompt_version": "${promptVersion}".`,
  all_findings_dropped: () => '',
};

/** Only names of the schema: any other name may be the model's own words. */
function nameField(field: string | null): string {
  return field !== null && FIELDS.has(field) ? field : 'the whole';
}

function describeFault(
  { reason, field }: Pick<ResponseRejected, 'reason' | 'field'>,
  where: string,
  versions: PromptVersions,
): string {
  const name = nameField(field);
  return `- ${name}: ${reason}${where}. ${HINTS[reason](name, versions)}`.trimEnd();
}

function describeDrops(drops: readonly FindingDropped[], versions: PromptVersions): readonly string[] {
  const groups = new Map<string, FindingDropped[]>();
  for (const drop of drops) {
    const key = `${drop.reason} ${nameField(drop.field)}`;
    groups.set(key, [...(groups.get(key) ?? []), drop]);
  }
  return [...groups.values()].flatMap((group) => {
    const indexes = group.flatMap(({ index }) => (index === null ? [] : [index]));
    const named = indexes.slice(0, MAX_INDEXES).join(', ');
    const more = indexes.length > MAX_INDEXES ? ` and ${indexes.length - MAX_INDEXES} more` : '';
    const [first] = group;
    return first === undefined
      ? []
      : [describeFault(first, named === '' ? '' : `, in findings ${named}${more} (counted from 0)`, versions)];
  });
}

/**
 * What a repair request adds to the request that it repeats: which rules the last answer broke, by
 * field, reason code, index and allowed value. Trusted text: a reply is raw (ruling R15), so
 * nothing of it enters, neither values nor names that are not the schema's.
 */
export function renderRepairNote(diagnostics: readonly Diagnostic[], versions: PromptVersions): string {
  const rejections = diagnostics.flatMap((one) =>
    one.code === 'response_rejected' ? [describeFault(one, '', versions)] : [],
  );
  const drops = diagnostics.flatMap((one) => (one.code === 'finding_dropped' ? [one] : []));
  return [
    '',
    '# Your last answer',
    rejections.length > 0
      ? 'An earlier answer to this request was rejected. What was wrong:'
      : 'An earlier answer to this request had findings, and none of them could be kept. What was wrong:',
    ...rejections,
    ...describeDrops(drops, versions),
    'Answer the whole request again, with the JSON object only. Findings that do not hold are left out, as before.',
    '',
  ].join('\n');
}
