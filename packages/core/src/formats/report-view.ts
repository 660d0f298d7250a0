import type { CodeExcerpt } from '../review/code-excerpt.js';
import type { EarlierFinding } from '../review/history/earlier-finding.js';
import type { ReviewFinding } from '../review/merge/review-finding.js';
import type { StoredReview } from '../stages/llm/stored-review.js';
import type { LocalPaths } from './local-path.js';

/** A finding of a review, or one that it carries on from an earlier one. */
export type ReportedFinding = ReviewFinding | EarlierFinding;

/** What a format is written from. */
export interface ReportView {
  review: StoredReview;
  paths: LocalPaths;
  /** Redacted code by finding id. */
  excerpts: ReadonlyMap<string, CodeExcerpt>;
}

/** The rule of a finding: the model's or redaction's own, else its category. Stable over reviews. */
export function ruleOf({ rule_id, category }: Pick<ReportedFinding, 'rule_id' | 'category'>): string {
  return rule_id ?? category;
}

/** What was said of a carried finding, for people. */
const CARRIED: Readonly<Record<EarlierFinding['state'], string>> = {
  open: 'still open',
  not_verifiable: 'not verifiable now',
  resolved: 'resolved',
};

/** `Reported by version 2 of the review: still open.` Empty for a finding of this review. */
export function carriedNote(finding: ReportedFinding): string {
  if (!('lastReported' in finding)) return '';
  return `Reported by version ${finding.lastReported.reviewVersion} of the review: ${CARRIED[finding.state]}.`;
}

/** Title, message, suggestion and what became of it, untrusted, as paragraphs. */
export function textOf(finding: ReportedFinding): string {
  const { title, message, suggestion } = finding;
  const parts = [title, message, suggestion === undefined ? '' : `Suggestion: ${suggestion}`, carriedNote(finding)];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Findings that wait for somebody: new ones, those found again, then earlier ones that nobody saw resolved. */
export function listOpen({ findings, earlier }: StoredReview): readonly ReportedFinding[] {
  const of = (wanted: string) => findings.filter(({ state }) => state === wanted);
  return [...of('new'), ...of('open'), ...earlier.filter(({ state }) => state !== 'resolved')];
}
