import type { JsonValue } from '../../foundation/json.js';
import { compareSeverity, type Finding, SEVERITIES, type Severity } from '../review-result.js';
import { compareStatus, compareText, type PlacedFinding } from './place-findings.js';

/** A finding and the reply it came from. */
export interface SourcedFinding {
  /** As the model sent it. */
  finding: Finding;
  /** The same with its resolved place and effective severity. */
  placed: PlacedFinding;
  /** What the reply's `meta.findings` holds for it. */
  entry: JsonValue | undefined;
  /** Place of that reply among all replies. */
  reply: number;
}

/** One issue: its best-placed, richest finding, and how many findings it stands for. */
export interface JoinedFinding extends SourcedFinding {
  joined: number;
}

/** Lines apart at which two findings may still be one. */
const NEARBY_LINES = 3;
/** Words shared, of the shorter text; text alone never joins, place is asked first. */
const MIN_OVERLAP = 0.45;
const MIN_WORDS = 8;

function wordsOf(finding: Finding): ReadonlySet<string> {
  return new Set(`${finding.title} ${finding.message}`.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []);
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const smaller = Math.min(a.size, b.size);
  if (smaller < MIN_WORDS) return 0;
  let shared = 0;
  for (const word of a) if (b.has(word)) shared += 1;
  return shared / smaller;
}

function sameText(a: Finding, b: Finding): boolean {
  return a.title.toLowerCase() === b.title.toLowerCase() || overlap(wordsOf(a), wordsOf(b)) >= MIN_OVERLAP;
}

/** The line that two findings are compared by: the resolved one, else the model's. */
function lineToCompare({ placed }: SourcedFinding): number {
  return placed.place.line ?? placed.model.line;
}

/**
 * Whether findings of two replies are about one issue: near each other in one file and in like
 * words. What one reply lists apart stays apart.
 */
function isSameIssue(a: SourcedFinding, b: SourcedFinding): boolean {
  if (a.reply === b.reply || a.finding.file !== b.finding.file) return false;
  return Math.abs(lineToCompare(a) - lineToCompare(b)) <= NEARBY_LINES && sameText(a.finding, b.finding);
}

/** The middle severity, of two the graver. */
function middle(severities: readonly Severity[]): Severity {
  return [...severities].sort(compareSeverity)[Math.floor((severities.length - 1) / 2)] ?? SEVERITIES[0];
}

/** The surest place first, then the richest text, under the group's middle severities, sent and effective. */
function represent(group: readonly SourcedFinding[]): JoinedFinding | undefined {
  const [best] = [...group].sort(
    (a, b) => compareStatus(a.placed.place, b.placed.place) || b.finding.message.length - a.finding.message.length,
  );
  if (best === undefined) return undefined;
  const sent = middle(group.map(({ finding }) => finding.severity));
  const effective = middle(group.map(({ placed }) => placed.severity));
  return {
    ...best,
    finding: { ...best.finding, severity: sent },
    placed: { ...best.placed, severity: effective, model: { ...best.placed.model, severity: sent } },
    joined: group.length,
  };
}

/** Findings of several replies, each issue once. Deterministic. */
export function joinDuplicates(findings: readonly SourcedFinding[]): readonly JoinedFinding[] {
  const sorted = [...findings].sort(
    (a, b) => compareText(a.finding.file, b.finding.file) || lineToCompare(a) - lineToCompare(b) || a.reply - b.reply,
  );
  const groups: SourcedFinding[][] = [];
  const byIdAndLine = new Map<string, SourcedFinding[]>();
  for (const one of sorted) {
    // Chunks count equal places from their own top, so one id may name two lines: these are two findings.
    const key = `${one.finding.id}@${lineToCompare(one)}`;
    const known =
      byIdAndLine.get(key) ?? groups.slice(-8).find((group) => group.some((other) => isSameIssue(one, other)));
    const group = known ?? [];
    if (known === undefined) groups.push(group);
    group.push(one);
    byIdAndLine.set(key, group);
  }
  return groups.flatMap((group) => represent(group) ?? []);
}
