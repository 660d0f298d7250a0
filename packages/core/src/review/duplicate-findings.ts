import { CONFIDENCES, compareSeverity, type Finding, SEVERITIES } from './review-result.js';

/** A finding and the reply it came from. */
export interface SourcedFinding {
  finding: Finding;
  reply: number;
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

/** Two replies' findings about one thing: the same id, or near each other in one file and in like words. One reply's own are its choice. */
function sameIssue(a: SourcedFinding, b: SourcedFinding): boolean {
  if (a.finding.id === b.finding.id) return true;
  if (a.reply === b.reply || a.finding.file !== b.finding.file) return false;
  return Math.abs(a.finding.line - b.finding.line) <= NEARBY_LINES && sameText(a.finding, b.finding);
}

/** The richest text under the group's middle severity, the graver of two. */
function represent(group: readonly SourcedFinding[]): Finding {
  const severities = group.map(({ finding }) => finding.severity).sort(compareSeverity);
  const severity = severities[Math.floor((severities.length - 1) / 2)] ?? SEVERITIES[0];
  const richest = group.reduce((best, one) => (one.finding.message.length > best.finding.message.length ? one : best));
  return { ...richest.finding, severity };
}

/** Findings of several replies, each issue once, with how many were joined. Deterministic. */
export function joinDuplicates(findings: readonly SourcedFinding[]): readonly { finding: Finding; joined: number }[] {
  const sorted = [...findings].sort(
    (a, b) => compareText(a.finding.file, b.finding.file) || a.finding.line - b.finding.line || a.reply - b.reply,
  );
  const groups: SourcedFinding[][] = [];
  const byId = new Map<string, SourcedFinding[]>();
  for (const one of sorted) {
    const near = byId.get(one.finding.id) ?? groups.slice(-8).find((group) => group.some((other) => sameIssue(one, other)));
    const group = near ?? [];
    if (near === undefined) groups.push(group);
    group.push(one);
    byId.set(one.finding.id, group);
  }
  return groups.map((group) => ({ finding: represent(group), joined: group.length }));
}

/** By code unit: the same everywhere, whatever the locale. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function confidenceRank(finding: Finding): number {
  return finding.confidence === undefined ? 1 : CONFIDENCES.indexOf(finding.confidence);
}

/** Gravest and surest first, then by file, line and id: a total order. */
export function compareFindings(a: Finding, b: Finding): number {
  return (
    compareSeverity(a.severity, b.severity) ||
    confidenceRank(a) - confidenceRank(b) ||
    compareText(a.file, b.file) ||
    a.line - b.line ||
    compareText(a.id, b.id)
  );
}
