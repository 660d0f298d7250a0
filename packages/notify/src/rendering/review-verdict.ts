import type { ReviewMailCoverage, ReviewMailFinding, Severity } from '@criticizer/core/ports';
import { nameLine } from './name-place.js';
import { fill, labelsOf, type ReviewMailInput, type ReviewMailLabels, severities } from './review-mail-input.js';
import { describeUnsettled } from './since-version.js';
import { visibleLine } from './visible-text.js';

/** Findings of one file under one severity, by line, those about the whole file first. */
export interface FileFindings {
  /** Null: the change itself, before all files. */
  file: string | null;
  findings: readonly ReviewMailFinding[];
}

export interface SeverityGroup {
  severity: Severity;
  count: number;
  files: readonly FileFindings[];
}

export interface Verdict {
  /**
   * For filters: the worst severity shown; else `incomplete` where not everything was looked at;
   * else `below-floor` where findings lie below the severity floor; else `dropped` where the check
   * dropped findings; else `suppressed` where suppressions hide some; else `open` where findings of
   * an earlier review are not settled; else `clean`.
   */
  token: Severity | 'clean' | 'incomplete' | 'below-floor' | 'dropped' | 'suppressed' | 'open';
  /**
   * For people: `1 critical, 2 high`, or `3 findings below medium`. Says `no findings` only where
   * there are none and all was reviewed.
   */
  phrase: string;
  /**
   * Conclusive, and every file of the change was reviewed in full or had nothing left to review,
   * and one was reviewed.
   */
  complete: boolean;
  /** `skipped` leaves out what had nothing to review. */
  counts: { reviewed: number; partial: number; skipped: number; total: number };
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * By severity, worst first, then by file and line, the whole file before its lines; the same for
 * any order of the input.
 */
export function groupFindings(findings: readonly ReviewMailFinding[]): SeverityGroup[] {
  return severities.flatMap((severity) => {
    const own = findings.filter((finding) => finding.severity === severity);
    if (own.length === 0) return [];
    own.sort(
      (a, b) =>
        byText(a.file ?? '', b.file ?? '') ||
        (a.place.line ?? 0) - (b.place.line ?? 0) ||
        byText(a.id, b.id) ||
        byText(a.title, b.title),
    );
    const files = new Map<string | null, ReviewMailFinding[]>();
    for (const finding of own) files.set(finding.file, [...(files.get(finding.file) ?? []), finding]);
    return [{ severity, count: own.length, files: [...files].map(([file, list]) => ({ file, findings: list })) }];
  });
}

/** A file without a new side, or without a change in it, leaves nothing unread. */
export function isNeutral(file: ReviewMailCoverage): boolean {
  return file.state === 'skipped' && (file.reason === 'deleted' || file.reason === 'unchanged');
}

/** What stands in a verdict for the findings that are not shown; null where there are none. */
export function describeNotShown(input: ReviewMailInput): string | null {
  const labels = labelsOf(input);
  const { belowFloor, floor, overCap } = input.notShown;
  if (overCap > 0) return fill(labels.moreNotShown, { n: overCap });
  // In addition to findings that are shown, a warning counts those below the floor.
  if (belowFloor === 0 || input.result.findings.length > 0) return null;
  return fill(belowFloor === 1 ? labels.findingBelow : labels.findingsBelow, {
    n: belowFloor,
    severity: labels[floor],
  });
}

/** `3 findings dropped by the check`; null where it dropped none (GRD-5). */
export function describeDropped(check: ReviewMailInput['check'], labels: ReviewMailLabels): string | null {
  const dropped = check?.dropped ?? 0;
  if (dropped === 0) return null;
  return fill(dropped === 1 ? labels.findingDropped : labels.findingsDropped, { n: dropped });
}

/** `3 findings hidden by suppressions`; null where they hide none (GRD-8). */
export function describeSuppressed(suppressed: number | undefined, labels: ReviewMailLabels): string | null {
  if (suppressed === undefined || suppressed === 0) return null;
  return fill(suppressed === 1 ? labels.findingSuppressed : labels.findingsSuppressed, { n: suppressed });
}

/** What the check did that a reader must know, a sentence each; none where all is as it was. */
export function describeCheck(check: ReviewMailInput['check'], labels: ReviewMailLabels): readonly string[] {
  const dropped = describeDropped(check, labels);
  const notChecked = check?.notChecked ?? 0;
  return [
    ...(dropped === null ? [] : [dropped]),
    ...(notChecked === 0 ? [] : [fill(labels.notChecked, { n: notChecked })]),
  ];
}

/** What a verdict is made from. */
export interface VerdictFacts {
  findings: Readonly<Record<Severity, number>>;
  /** Of findings that stand in no list of the mail; null where there are none. */
  notShown: string | null;
  /** Of findings that the check dropped; null where there are none. */
  dropped: string | null;
  /** Of findings that suppressions hide; null where there are none. */
  suppressed: string | null;
  /** Of findings of an earlier review that are open or not verifiable; null where there are none. */
  unsettled: string | null;
  conclusive: boolean;
  files: Verdict['counts'];
  /** True where sentences further down say why the review is not whole. */
  hasWarnings: boolean;
}

/** The verdict on these facts, in the words of `labels`. */
export function decideVerdict(facts: VerdictFacts, labels: ReviewMailLabels): Verdict {
  const { findings, notShown, dropped, suppressed, unsettled, conclusive, files: counts } = facts;
  const complete = conclusive && counts.reviewed > 0 && counts.partial + counts.skipped === 0;
  const present = severities.filter((severity) => findings[severity] > 0);
  const found = [
    ...present.map((severity) => `${findings[severity]} ${labels[severity]}`),
    ...(notShown === null ? [] : [notShown]),
  ];
  // Beside findings that are shown, the coverage counts those that were dropped.
  const isShown = found.length > 0;
  if (!isShown && dropped !== null) found.push(dropped);
  if (!isShown && suppressed !== null) found.push(suppressed);
  if (unsettled !== null) found.push(unsettled);
  const parts = [
    ...(found.length > 0 ? found : complete ? [labels.noFindings] : []),
    ...(complete ? [] : [labels.incomplete]),
    ...(found.length === 0 && facts.hasWarnings ? [labels.withWarnings] : []),
  ];
  const hidden = notShown !== null ? 'below-floor' : dropped !== null ? 'dropped' : null;
  const left = suppressed !== null ? 'suppressed' : unsettled !== null ? 'open' : 'clean';
  const token = present[0] ?? (!complete ? 'incomplete' : (hidden ?? left));
  return { token, phrase: parts.join(', '), complete, counts };
}

/** What the mail says in one line. */
export function verdictOf(input: ReviewMailInput): Verdict {
  const { files } = input.coverage;
  const count = (state: string): number => files.filter((file) => file.state === state && !isNeutral(file)).length;
  const findings: Record<Severity, number> = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
  for (const { severity } of input.result.findings) findings[severity] += 1;
  const facts = {
    findings,
    notShown: describeNotShown(input),
    dropped: describeDropped(input.check, labelsOf(input)),
    suppressed: describeSuppressed(input.suppressed, labelsOf(input)),
    unsettled: describeUnsettled(input.sinceVersion, labelsOf(input)),
    conclusive: input.conclusive,
    files: { reviewed: count('reviewed'), partial: count('partial'), skipped: count('skipped'), total: files.length },
    hasWarnings: input.warnings.length > 0,
  };
  return decideVerdict(facts, labelsOf(input));
}

/**
 * One sentence on what was not looked at; null where everything was. Why a full look is still not
 * conclusive, the warnings say.
 */
export function gapOf(input: ReviewMailInput): string | null {
  return describeGap(verdictOf(input).counts, labelsOf(input));
}

/** The same from counts of files. */
export function describeGap(counts: Verdict['counts'], labels: ReviewMailLabels): string | null {
  if (counts.partial + counts.skipped > 0)
    return fill(labels.incompleteNote, { missing: counts.skipped, partial: counts.partial, total: counts.total });
  return counts.reviewed > 0 ? null : labels.noFiles;
}

/**
 * How many secrets were withheld, and how many of them are findings of the mail; null where none
 * was.
 */
export function describeSecrets(
  { withheldSecrets, result, secrets = [] }: ReviewMailInput,
  labels: ReviewMailLabels,
): { sentence: string; others: readonly string[] } | null {
  if (withheldSecrets === 0) return null;
  const reported = result.findings.filter(({ origin }) => origin === 'redaction').length;
  const among = reported === 0 ? '' : ` ${fill(labels.secretsReported, { n: reported })}`;
  return {
    sentence: `${fill(labels.secrets, { n: withheldSecrets })}${among}`,
    others: secrets.map((secret) => describeSecret(secret, labels)),
  };
}

/** `//depot/a.ts, line 12: aws.access-key` for a secret that was withheld; never the value. */
function describeSecret(
  { path, line, rule }: NonNullable<ReviewMailInput['secrets']>[number],
  labels: ReviewMailLabels,
): string {
  return `${nameLine(path, line, labels)}: ${visibleLine(rule, 80)}`;
}

/** The first line of the change's description that says anything. */
export function titleOf(input: ReviewMailInput, maxChars: number): string {
  const first = input.change.description.split(/\r\n?|\n/).find((line) => line.trim() !== '');
  return visibleLine(first ?? '', maxChars);
}

/**
 * `[Criticizer] 12345: title`, the same for every version of a change: Gmail splits a thread where
 * the subject differs, so the verdict stands in the body, first in what an inbox previews.
 */
export function subjectOf(input: ReviewMailInput): string {
  const title = titleOf(input, 110);
  return `[Criticizer] ${input.change.number}${title === '' ? '' : `: ${title}`}`;
}

/**
 * `line 12`, `lines 12–14`, or `whole file` where no line is confirmed. Nothing for a withheld
 * credential that is on no line: its title says where.
 */
function describePlace({ place, origin }: ReviewMailFinding, labels: ReviewMailLabels): string[] {
  if (place.line === null) return origin === 'redaction' ? [] : [labels.wholeFile];
  return place.endLine === null || place.endLine === place.line
    ? [`${labels.line} ${place.line}`]
    : [`${labels.lines} ${place.line}–${place.endLine}`];
}

/**
 * What a reader must know before trusting a finding: that nothing confirms its place, that its line
 * is unchanged code, and what the model had called it; null where none of it.
 */
export function describeDoubt({ place, severity, model }: ReviewMailFinding, labels: ReviewMailLabels): string | null {
  const parts = [
    ...(place.status === 'unverified' ? [labels.placeUnverified] : []),
    ...(place.on === 'context' ? [labels.placeContext] : []),
    ...(model === undefined || model.severity === severity
      ? []
      : [fill(labels.lowered, { severity: labels[model.severity] })]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}

/** The place, then category, who found it where it was not the model, confidence and rule. */
export function findingFacts(finding: ReviewMailFinding, labels: ReviewMailLabels): string[] {
  const facts = [...describePlace(finding, labels), visibleLine(finding.category, 40)];
  if (finding.state === 'new') facts.unshift(labels.isNew);
  if (finding.state === 'open' && typeof finding.since === 'number')
    facts.push(fill(labels.openSince, { version: finding.since }));
  if (finding.origin === 'redaction') facts.push(labels.foundByRedaction);
  if (finding.confidence !== undefined) facts.push(`${labels.confidence} ${visibleLine(finding.confidence, 20)}`);
  if (finding.rule_id !== undefined && finding.rule_id !== '')
    facts.push(`${labels.rule} ${visibleLine(finding.rule_id, 60)}`);
  return facts;
}
