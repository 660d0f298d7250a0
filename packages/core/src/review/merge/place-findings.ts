import type { JsonObject, JsonValue } from '../../foundation/json.js';
import type { SeverityLowered } from '../diagnostics.js';
import { isJsonRecord } from '../json/strict-json.js';
import {
  CONFIDENCES,
  compareSeverity,
  type Finding,
  type ReviewResult,
  SEVERITIES,
  type Severity,
} from '../review-result.js';
import { type AnchorKind, isUsableQuote } from './anchors.js';

/** Where a finding is to be shown, as far as the change confirms it (GRD-2). Lines are 1-based, on the new side. */
export interface FindingPlace {
  /** First line; null: the file as a whole. */
  line: number | null;
  /** Last line, greater than `line`; null: one line, or the file as a whole. */
  endLine: number | null;
  /**
   * `exact`: the model's line is in the diff, and its quote, where it sent one, is there; or the
   * quote is on that line of the file outside the diff. `moved`: the quote is on this other
   * line. `file`: the quote is on several lines. `unverified`: neither a line of the diff nor a
   * quote confirms the finding.
   */
  status: AnchorKind;
  /**
   * `context`: the line is in no hunk, so this is unchanged code that the change exposes (GRD-3). Left
   * out: a line of the diff, or no line.
   */
  on?: 'context' | undefined;
}

/** A finding as mails, hosts and formats show it: its resolved place and its effective severity (GRD-2, ruling R20). */
export interface PlacedFinding extends Omit<Finding, 'line' | 'end_line'> {
  /** Effective: the model's own, or a lower one. At most `medium` where the place is `unverified`. */
  severity: Severity;
  place: FindingPlace;
  /** What the model sent: for records and comparison, never for display as a place. */
  model: { severity: Severity; line: number; endLine: number | null };
}

/** The highest effective severity of a finding whose place nothing confirms. */
const MAX_UNVERIFIED_SEVERITY: Severity = 'medium';

/** Surest first. */
const STATUSES: readonly AnchorKind[] = ['exact', 'moved', 'file', 'unverified'];

const isLine = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1;

function readPlace({ line, end_line }: Finding, entry: Record<string, unknown>): FindingPlace {
  const { anchor, anchored_line: anchored } = entry;
  if ((anchor === 'exact' || anchor === 'moved') && isLine(anchored)) {
    // The end moves with its line.
    const end = end_line === undefined ? anchored : end_line - line + anchored;
    const endLine = end > anchored && isLine(end) ? end : null;
    return { line: anchored, endLine, status: anchor, ...(entry['on'] === 'context' ? { on: 'context' } : {}) };
  }
  const { quote } = entry;
  // Without its quote nothing confirms that the finding is about this file's text.
  const isConfirmed = anchor === 'file' && typeof quote === 'string' && isUsableQuote(quote);
  return { line: null, endLine: null, status: isConfirmed ? 'file' : 'unverified' };
}

/** The less severe of two. */
function lower(a: Severity, b: Severity): Severity {
  return compareSeverity(a, b) < 0 ? b : a;
}

/**
 * Places one finding of a parsed review. `entry` is what `meta.findings` holds under its id;
 * without a usable one the place is `unverified`. A stored `effective_severity` can only lower the
 * model's.
 */
export function placeFinding(finding: Finding, entry: JsonValue | undefined): PlacedFinding {
  const { line, end_line, ...rest } = finding;
  const known: Record<string, unknown> = isJsonRecord(entry) ? entry : {};
  const place = readPlace(finding, known);
  const stored = SEVERITIES.find((severity) => severity === known['effective_severity']) ?? finding.severity;
  const limit = place.status === 'unverified' ? MAX_UNVERIFIED_SEVERITY : finding.severity;
  return {
    ...rest,
    severity: lower(finding.severity, lower(stored, limit)),
    place,
    model: { severity: finding.severity, line, endLine: end_line ?? null },
  };
}

/** What `meta.findings` of a review holds under this id. */
export function findingEntry(meta: JsonObject | undefined, id: string): JsonValue | undefined {
  const entries = meta !== undefined && Object.hasOwn(meta, 'findings') ? meta['findings'] : undefined;
  return isJsonRecord(entries) && Object.hasOwn(entries, id) ? (entries[id] as JsonValue) : undefined;
}

/**
 * The findings of a review as they are to be shown: resolved places, effective severities, gravest
 * first. Pure. Every format, mail and event takes places from here and never from
 * `result.findings`, whose `line` is the model's (GRD-2).
 */
export function placeFindings(result: Pick<ReviewResult, 'findings' | 'meta'>): readonly PlacedFinding[] {
  return result.findings
    .map((finding) => placeFinding(finding, findingEntry(result.meta, finding.id)))
    .sort(comparePlaced);
}

/** The diagnostic of a lowered severity (ruling R20); none where it is the model's own. */
export function explainLowered({ id, severity, model }: PlacedFinding): readonly SeverityLowered[] {
  if (severity === model.severity) return [];
  return [
    {
      code: 'severity_lowered',
      index: null,
      findingId: id,
      from: model.severity,
      to: severity,
      reason: 'place_unverified',
    },
  ];
}

/** Negative where the place of `a` is the surer one. */
export function compareStatus(a: FindingPlace, b: FindingPlace): number {
  return STATUSES.indexOf(a.status) - STATUSES.indexOf(b.status);
}

/** By code unit: the same everywhere, whatever the locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function confidenceRank(finding: Pick<Finding, 'confidence'>): number {
  return finding.confidence === undefined ? 1 : CONFIDENCES.indexOf(finding.confidence);
}

/** What findings are ordered by; `file: null` is the change itself. */
type Ordered = Pick<PlacedFinding, 'id' | 'severity' | 'confidence' | 'place'> & {
  file: string | null;
  model?: { line: number } | undefined;
};

/**
 * Gravest and surest first, then by file (the change itself before its files), line (the whole file
 * before its lines) and id: a total order.
 */
export function comparePlaced(a: Ordered, b: Ordered): number {
  return (
    compareSeverity(a.severity, b.severity) ||
    confidenceRank(a) - confidenceRank(b) ||
    compareText(a.file ?? '', b.file ?? '') ||
    (a.place.line ?? 0) - (b.place.line ?? 0) ||
    (a.model?.line ?? 0) - (b.model?.line ?? 0) ||
    compareText(a.id, b.id)
  );
}
