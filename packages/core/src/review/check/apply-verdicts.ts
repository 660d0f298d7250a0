import type { JsonObject, JsonValue } from '../../foundation/json.js';
import type { FindingDroppedByCheck, FindingNotChecked, SeverityLowered } from '../diagnostics.js';
import { isJsonRecord } from '../json/strict-json.js';
import type { MergedReview } from '../merge/merge-reviews.js';
import { comparePlaced } from '../merge/place-findings.js';
import type { MergedFinding } from '../merge/review-finding.js';
import type { Finding } from '../review-result.js';
import type { CheckOutcome } from './read-verdicts.js';

/** How many findings the check kept, lowered, dropped, and left as they were because nothing valid was said of them. */
export interface CheckSummary {
  /** Of the check's instructions and reply. */
  version: string;
  kept: number;
  lowered: number;
  dropped: number;
  notChecked: number;
}

/** A merged review after its check. */
export interface CheckedReview {
  merged: MergedReview;
  /** Gravest first; `check.reason` says why. */
  dropped: readonly MergedFinding[];
  summary: CheckSummary;
}

type CheckDiagnostic = SeverityLowered | FindingNotChecked | FindingDroppedByCheck;

/** The finding after its verdict. One that is dropped keeps its severity. */
function follow(finding: MergedFinding, outcome: CheckOutcome | undefined): MergedFinding {
  if (outcome === undefined || outcome.verdict === null) return finding;
  const { verdict, reason } = outcome;
  const severity = outcome.verdict === 'lower' ? outcome.severity : finding.severity;
  return { ...finding, severity, check: { verdict, reason } };
}

function explain({ id, severity }: MergedFinding, outcome: CheckOutcome | undefined): readonly CheckDiagnostic[] {
  const at = { index: null, findingId: id };
  if (outcome === undefined || outcome.verdict === 'keep') return [];
  if (outcome.verdict === null)
    return [{ code: 'finding_not_checked', ...at, reason: outcome.because, failure: outcome.failure }];
  if (outcome.verdict === 'drop') return [{ code: 'finding_dropped_by_check', ...at, severity }];
  return [{ code: 'severity_lowered', ...at, from: severity, to: outcome.severity, reason: 'check' }];
}

/** What `meta.findings` holds, with effective severities and verdicts as they are now. */
function updateEntries(meta: JsonObject | undefined, checked: readonly MergedFinding[]): JsonObject {
  const known = meta?.['findings'];
  const entries: Record<string, JsonValue> = isJsonRecord(known) ? { ...(known as JsonObject) } : {};
  for (const { id, severity, check } of checked) {
    const entry = entries[id];
    if (check === undefined || !isJsonRecord(entry)) continue;
    entries[id] = { ...(entry as JsonObject), effective_severity: severity, check: { ...check } };
  }
  return entries;
}

function count(outcomes: Iterable<CheckOutcome>, version: string): CheckSummary {
  const all = [...outcomes];
  const times = (verdict: CheckOutcome['verdict']): number => all.filter((one) => one.verdict === verdict).length;
  return { version, kept: times('keep'), lowered: times('lower'), dropped: times('drop'), notChecked: times(null) };
}

/**
 * Carries out the verdicts of a check (GRD-5): effective severities are lowered, never raised, and
 * dropped findings leave the review for a list of their own. Findings without an outcome stay as
 * they are. A review whose findings were all dropped is `inconclusive`: it is never clean (OUT-9).
 */
export function applyVerdicts(
  merged: MergedReview,
  outcomes: ReadonlyMap<string, CheckOutcome>,
  version: string,
): CheckedReview {
  const checked = merged.findings.map((finding, at) => ({
    placed: follow(finding, outcomes.get(finding.id)),
    sent: merged.result.findings[at],
    source: merged.sources[at] ?? 0,
  }));
  const sorted = [...checked].sort((a, b) => comparePlaced(a.placed, b.placed));
  const kept = sorted.filter(({ placed }) => placed.check?.verdict !== 'drop');
  const dropped = sorted.flatMap(({ placed }) => (placed.check?.verdict === 'drop' ? [placed] : []));
  const summary = count(outcomes.values(), version);
  const { verdict, doubts } = merged.state;
  const state = { verdict: dropped.length > 0 && kept.length === 0 ? ('inconclusive' as const) : verdict, doubts };
  const { version: _version, notChecked: not_checked, ...counts } = summary;
  const meta: JsonObject = {
    ...merged.result.meta,
    findings: updateEntries(
      merged.result.meta,
      sorted.map(({ placed }) => placed),
    ),
    review_state: { verdict: state.verdict, doubts: [...doubts] },
    check: { version, ...counts, not_checked },
  };
  return {
    dropped,
    summary,
    merged: {
      ...merged,
      state,
      findings: kept.map(({ placed }) => placed),
      sources: kept.map(({ source }) => source),
      result: {
        ...merged.result,
        findings: kept.flatMap(({ sent }): Finding[] => (sent === undefined ? [] : [sent])),
        meta,
      },
      diagnostics: [
        ...merged.diagnostics,
        ...merged.findings.flatMap((finding) => explain(finding, outcomes.get(finding.id))),
      ],
    },
  };
}
