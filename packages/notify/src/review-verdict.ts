import {
  fill,
  labelsOf,
  type ReviewMailCoverage,
  type ReviewMailFinding,
  type ReviewMailInput,
  type ReviewMailLabels,
  type Severity,
  severities,
} from './review-mail-input.js';
import { visibleLine } from './visible-text.js';

/** Findings of one file under one severity, by line. */
export interface FileFindings {
  file: string;
  findings: readonly ReviewMailFinding[];
}

export interface SeverityGroup {
  severity: Severity;
  count: number;
  files: readonly FileFindings[];
}

export interface Verdict {
  /** Worst severity, `clean`, or `incomplete` where nothing was found and not everything was looked at. For filters. */
  token: Severity | 'clean' | 'incomplete';
  /** For people: `1 critical, 2 high`. Says `no findings` only where the review is complete. */
  phrase: string;
  /** Conclusive, and every file of the change was reviewed in full or had nothing left to review, and one was reviewed. */
  complete: boolean;
  /** `skipped` leaves out what had nothing to review. */
  counts: { reviewed: number; partial: number; skipped: number; total: number };
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** By severity, worst first, then by file and line; the same for any order of the input. */
export function groupFindings(findings: readonly ReviewMailFinding[]): SeverityGroup[] {
  return severities.flatMap((severity) => {
    const own = findings.filter((finding) => finding.severity === severity);
    if (own.length === 0) return [];
    own.sort((a, b) => byText(a.file, b.file) || a.line - b.line || byText(a.id, b.id) || byText(a.title, b.title));
    const files = new Map<string, ReviewMailFinding[]>();
    for (const finding of own) files.set(finding.file, [...(files.get(finding.file) ?? []), finding]);
    return [{ severity, count: own.length, files: [...files].map(([file, list]) => ({ file, findings: list })) }];
  });
}

/** A file without a new side, or without a change in it, leaves nothing unread. */
function isNeutral(file: ReviewMailCoverage): boolean {
  return file.state === 'skipped' && (file.reason === 'deleted' || file.reason === 'unchanged');
}

/** What the mail says in one line. */
export function verdictOf(input: ReviewMailInput): Verdict {
  const labels = labelsOf(input);
  const { files } = input.coverage;
  const count = (state: string): number => files.filter((file) => file.state === state && !isNeutral(file)).length;
  const counts = { reviewed: count('reviewed'), partial: count('partial'), skipped: count('skipped'), total: files.length };
  const complete = input.conclusive && counts.reviewed > 0 && counts.partial + counts.skipped === 0;
  const groups = groupFindings(input.result.findings);
  const found = groups.map((group) => `${group.count} ${labels[group.severity]}`).join(', ');
  const rest = [complete ? '' : labels.incomplete, input.warnings.length > 0 && found === '' ? labels.withWarnings : ''].filter(
    (part) => part !== '',
  );
  const clean = complete ? [labels.noFindings, ...rest] : rest;
  const phrase = found === '' ? clean.join(', ') : [found, ...rest].join(', ');
  return { token: groups[0]?.severity ?? (complete ? 'clean' : 'incomplete'), phrase, complete, counts };
}

/** One sentence on what was not looked at; null where everything was. Why a full look is still not conclusive, the warnings say. */
export function gapOf(input: ReviewMailInput): string | null {
  const labels = labelsOf(input);
  const { counts } = verdictOf(input);
  if (counts.partial + counts.skipped > 0)
    return fill(labels.incompleteNote, { missing: counts.skipped, partial: counts.partial, total: counts.total });
  return counts.reviewed > 0 ? null : labels.noFiles;
}

/** The first line of the change's description that says anything. */
export function titleOf(input: ReviewMailInput, maxChars: number): string {
  const first = input.change.description.split(/\r\n?|\n/).find((line) => line.trim() !== '');
  return visibleLine(first ?? '', maxChars);
}

/** `[Criticizer] 12345: title - verdict`: number first, so that the versions of a change sort and thread together. */
export function subjectOf(input: ReviewMailInput): string {
  const title = titleOf(input, 110);
  return `[Criticizer] ${input.change.number}: ${title === '' ? '' : `${title} - `}${visibleLine(verdictOf(input).phrase, 90)}`;
}

/** `line 12`, or `lines 12–14`, then category, confidence and rule. */
export function findingFacts(finding: ReviewMailFinding, labels: ReviewMailLabels): string[] {
  const to = finding.end_line;
  const lines = to === undefined || to === finding.line ? `${labels.line} ${finding.line}` : `${labels.lines} ${finding.line}–${to}`;
  const facts = [lines, visibleLine(finding.category, 40)];
  if (finding.confidence !== undefined) facts.push(`${labels.confidence} ${visibleLine(finding.confidence, 20)}`);
  if (finding.rule_id !== undefined && finding.rule_id !== '') facts.push(`${labels.rule} ${visibleLine(finding.rule_id, 60)}`);
  return facts;
}
