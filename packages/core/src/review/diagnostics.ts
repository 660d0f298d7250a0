import type { JsonValue } from '../foundation/json.js';
import type { ReplyNote } from '../llm/llm-provider.js';
import type { Severity } from './review-result.js';
import type { FindingSuppressed, SuppressionRefused } from './suppression/suppression-diagnostics.js';

/** Why a response or a finding was refused (OUT-7). Extended only by a minor version. */
export const REASON_CODES = [
  'invalid_json',
  'schema_mismatch',
  'missing_required_field',
  'invalid_enum_value',
  'invalid_line_range',
  'file_not_in_changed_files',
  'incompatible_version',
  'all_findings_dropped',
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

/**
 * Where in a reply a diagnostic points: the finding's index in the array and its own id; both null
 * at the top level.
 */
export interface FindingPointer {
  index: number | null;
  findingId: string | null;
}

/** A value was normalised: trimmed, separators, integral text, a path reconciled (OUT-4, OUT-8). */
export interface CoercionApplied extends FindingPointer {
  code: 'coercion_applied';
  field: string;
  oldValue: JsonValue;
  newValue: JsonValue;
}

/** One finding was refused; the others stand (OUT-5). `file` and `line` where they could be read. */
export interface FindingDropped extends FindingPointer {
  code: 'finding_dropped';
  reason: ReasonCode;
  field: string | null;
  file: string | null;
  line: number | null;
  /** How many changed files the finding's path could name, where that is why it was refused. */
  matches?: number | undefined;
}

/** The whole reply was refused (OUT-3). */
export interface ResponseRejected {
  code: 'response_rejected';
  reason: ReasonCode;
  field: string | null;
}

/**
 * An optional or undocumented key was left out of the result; for `repeated_key`, an earlier value
 * of a key that came twice in one object (INV-4, ruling R7).
 */
export interface FieldDropped extends FindingPointer {
  code: 'null_as_absent' | 'unknown_key_stripped' | 'field_dropped' | 'repeated_key';
  field: string;
}

/**
 * The text was not strict JSON and was read all the same; `repairs` names each kind of damage once
 * (ruling R7, step 0).
 */
export interface TextRepaired {
  code: 'text_repaired';
  repairs: readonly string[];
}

/** More than one object in the reply could have been the review, with different findings; `chosen` counts from 0. */
export interface AmbiguousCandidates {
  code: 'ambiguous_candidates';
  candidates: number;
  chosen: number;
}

/** The reply was cut; only complete findings were kept. */
export interface FindingsSalvaged {
  code: 'findings_salvaged';
  kept: number;
  lost: number;
}

/** Whole findings outside the list were read as part of it: around it, or under another key. */
export interface FindingsRecovered {
  code: 'findings_recovered';
  where: 'text_around' | 'other_key';
  count: number;
}

/**
 * Where a reply seems to hold findings that were not read: around the object, elsewhere in it, in
 * another object, in a finding that two ran together into, in reasoning, only promised (a number of
 * issues, an elided list), or described in words: by the summary, or by prose elsewhere.
 */
export type UnreadPlace =
  | 'text_around'
  | 'other_key'
  | 'other_object'
  | 'merged'
  | 'reasoning'
  | 'promised'
  | 'summary'
  | 'prose';

/** Something looks like findings and was not read (OUT-9). `count` is an estimate. */
export interface FindingsUnread {
  code: 'findings_unread';
  where: UnreadPlace;
  count: number;
}

/** Findings were sent and none was kept: a warning, never "no findings" (OUT-9). */
export interface AllFindingsDropped {
  code: 'all_findings_dropped';
  sent: number;
}

/** A finding is shown under a lower severity than the model gave it (ruling R20). `findingId` is ours. */
export interface SeverityLowered extends FindingPointer {
  code: 'severity_lowered';
  from: Severity;
  to: Severity;
  /** `check`: the check pass lowered it; its reason is with the finding. */
  reason: 'place_unverified' | 'check';
}

/**
 * Why a finding that was to be checked stays as it is: the reply does not name it, says two things
 * of it, is not clear, raises its severity, does not lower it, or gives no reason; the reply cannot
 * be used; it had no room in the request; a budget was spent; or the model, its provider or the
 * guard refused the request.
 */
export type NotCheckedReason =
  | 'unanswered'
  | 'verdicts_differ'
  | 'verdict_invalid'
  | 'severity_raised'
  | 'severity_not_below'
  | 'reason_missing'
  | 'reply_unusable'
  | 'no_room'
  | 'budget_spent'
  | 'refused'
  | 'provider_failed'
  | 'request_blocked';

/** A finding that was to be checked stays as it is (GRD-5). `findingId` is ours. */
export interface FindingNotChecked extends FindingPointer {
  code: 'finding_not_checked';
  reason: NotCheckedReason;
  /** The failure's code, or the name of the budget; null where nothing failed. */
  failure: string | null;
}

/** The check dropped a finding; it is stored with its reason (GRD-5). `findingId` is ours. */
export interface FindingDroppedByCheck extends FindingPointer {
  code: 'finding_dropped_by_check';
  /** Effective, before the check. */
  severity: Severity;
}

/** A verdict of the check that names no finding which was sent to it. */
export interface VerdictIgnored extends FindingPointer {
  code: 'verdict_ignored';
}

/** A finding of the model is part of our own about the same withheld secret. Both ids are ours. */
export interface FindingMerged extends FindingPointer {
  code: 'finding_merged';
  into: string;
}

/** A provider failed or refused, and others were to read what it left. `reason` is the failure's code. */
export interface ProviderFailed {
  code: 'provider_failed';
  provider: string;
  reason: string;
  /** Ids of the providers that may read it, in order of preference. */
  next: readonly string[];
}

/** A budget was spent; what was not asked about by then is not reviewed. */
export interface BudgetWasSpent {
  code: 'budget_spent';
  /** `review.requests`, `day.cost`, … */
  budget: string;
}

/** The form of a reply was unusual, and it was read all the same. */
export interface ReplyNoted {
  code: 'reply_noted';
  note: ReplyNote;
}

/**
 * A reply was asked for again: in another size, or with what was wrong with it. The diagnostics
 * before it are of the first reply, those behind it of the second, whichever was used.
 */
export interface AskedAgain {
  code: 'asked_again';
  reason: 'output_exhausted' | 'context_overflow' | 'reply_rejected' | 'all_findings_dropped';
}

/** Too many diagnostics: how many of each code were left out. */
export interface DiagnosticsCapped {
  code: 'diagnostics_capped';
  omitted: Readonly<Record<string, number>>;
}

/** One machine-readable fact about how a reply was read (INV-4, OUT-6). Plain JSON; match on `code`. */
export type Diagnostic =
  | CoercionApplied
  | FindingDropped
  | ResponseRejected
  | FieldDropped
  | TextRepaired
  | AmbiguousCandidates
  | FindingsSalvaged
  | FindingsRecovered
  | FindingsUnread
  | AllFindingsDropped
  | SeverityLowered
  | FindingMerged
  | FindingSuppressed
  | SuppressionRefused
  | FindingNotChecked
  | FindingDroppedByCheck
  | VerdictIgnored
  | ReplyNoted
  | ProviderFailed
  | BudgetWasSpent
  | AskedAgain
  | DiagnosticsCapped;

export interface DiagnosticsOptions {
  /** Redacts a text value before it is kept. Without it, free text is replaced by its length (OUT-6). */
  redact?: ((text: string) => string) | undefined;
  /** Longest text kept of a value, UTF-16 units. Default 200. */
  maxValueLength?: number | undefined;
  /** Most diagnostics kept; the rest is counted by code. Default 5,000. */
  maxDiagnostics?: number | undefined;
}

/** Collects diagnostics under a cap. */
export interface DiagnosticsCollector {
  add(diagnostic: Diagnostic): void;
  /** A value as it may be kept for `field`: redacted, shortened, never a structure. */
  value(field: string, value: unknown): JsonValue;
  /** In the order added, `diagnostics_capped` last where some were left out. */
  list(): readonly Diagnostic[];
}

/** Fields that may quote source or prose: sensitive unless a redactor says otherwise. */
const FREE_TEXT: ReadonlySet<string> = new Set(['title', 'message', 'suggestion', 'summary', 'meta', 'quote']);

const VERDICTS: ReadonlySet<string> = new Set([
  'response_rejected',
  'all_findings_dropped',
  'findings_unread',
] satisfies Diagnostic['code'][]);

function shorten(text: string, maxLength: number): string {
  return text.length <= maxLength
    ? text
    : `${text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')}… (${text.length} characters)`;
}

/** A collector for one reply. */
export function createDiagnostics(options: DiagnosticsOptions = {}): DiagnosticsCollector {
  const { redact, maxValueLength = 200, maxDiagnostics = 5_000 } = options;
  const kept: Diagnostic[] = [];
  const omitted: Record<string, number> = {};
  const value = (field: string, given: unknown): JsonValue => {
    if (given === null || typeof given === 'boolean') return given;
    if (typeof given === 'number') return Number.isFinite(given) ? given : String(given);
    if (typeof given !== 'string') return `[${Array.isArray(given) ? 'array' : typeof given}]`;
    if (redact !== undefined) return shorten(redact(given), maxValueLength);
    return FREE_TEXT.has(field) ? `[${given.length} characters]` : shorten(given, maxValueLength);
  };
  return {
    value,
    add(given) {
      // The model's own id is its text too.
      const hasId = redact !== undefined && 'findingId' in given && given.findingId !== null;
      const diagnostic = hasId ? { ...given, findingId: String(value('id', given.findingId)) } : given;
      // These decide what the review is called: they are never the ones left out.
      const verdict = VERDICTS.has(diagnostic.code);
      if (kept.length < maxDiagnostics || verdict) kept.push(diagnostic);
      else omitted[diagnostic.code] = (omitted[diagnostic.code] ?? 0) + 1;
    },
    list() {
      return Object.keys(omitted).length === 0
        ? kept
        : [...kept, { code: 'diagnostics_capped', omitted: { ...omitted } }];
    },
  };
}
