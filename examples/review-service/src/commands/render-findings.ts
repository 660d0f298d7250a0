import type { Criticizer, StoredReview } from '@criticizer/core';
import { describeSinceVersion } from '@criticizer/core/formats';
import type { CodeExcerpt } from '@criticizer/core/ports';
import { plural } from './describe-egress.js';

/** How much of a review is printed; each level has all before it. */
export const printedLevels = ['counts', 'findings', 'code'] as const;
/** One of `printedLevels`. */
export type PrintedLevel = (typeof printedLevels)[number];

/** The redacted code round findings, by their ids. */
export type Excerpts = Awaited<ReturnType<Criticizer<unknown>['excerpts']>>;

/** Text of a change or a model could move a terminal's cursor, or hide what it says. */
function makePrintable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) =>
    /[\n\t]/.test(char) ? char : `<U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`,
  );
}

/** Numbered lines, those that the finding is about marked. */
function renderExcerpt(excerpt: CodeExcerpt): string {
  return excerpt
    .map(({ line, text, isCited }) => `  ${isCited ? '>' : ' '} ${String(line).padStart(5)}  ${text}`)
    .join('\n');
}

/** A sentence for each budget that was spent before everything was read. */
function describeSpentBudgets({ diagnostics, coverage }: StoredReview): readonly string[] {
  const spent = new Set(diagnostics.flatMap((one) => (one.code === 'budget_spent' ? [one.budget] : [])));
  const isCut = (file: (typeof coverage.files)[number]): boolean =>
    file.state === 'reviewed_partial' ? file.reasons.includes('budget') : 'reason' in file && file.reason === 'budget';
  const unread = coverage.files.filter(isCut).length;
  return [...spent].map((budget) => `The budget ${budget} is spent; ${plural(unread, 'file')} not reviewed in full.`);
}

/** What the check pass took away or left; nothing where all is as the model reported it. */
function describeCheck({ check, droppedByCheck }: StoredReview): string[] {
  const dropped = droppedByCheck.flatMap(({ severity, title, file, check: said }) => [
    `  ${severity}  ${file}: ${title}`,
    `    ${said?.reason ?? ''}`,
  ]);
  const count = `${plural(droppedByCheck.length, 'finding')} dropped by the check:`;
  return [
    ...(dropped.length === 0 ? [] : [[count, ...dropped].join('\n')]),
    ...(check === null || check.notChecked === 0 ? [] : [`${plural(check.notChecked, 'finding')} not checked.`]),
  ];
}

/** Earlier findings that were not reported again, and what became of them. */
function describeEarlier({ earlier }: StoredReview): string[] {
  if (earlier.length === 0) return [];
  const lines = earlier.flatMap(({ state, severity, title, file, reason }) => [
    `  ${state.replace('_', ' ')}  ${severity}  ${file ?? 'the change itself'}: ${title}`,
    ...(reason === '' ? [] : [`    ${reason}`]),
  ]);
  return [[`${plural(earlier.length, 'earlier finding')} not reported again:`, ...lines].join('\n')];
}

function renderFinding(
  { id, severity, title, file, place, message, suggestion }: StoredReview['findings'][number],
  excerpts: Excerpts,
): string {
  const name = file ?? 'the change itself';
  const excerpt = excerpts.get(id);
  return [
    `${severity}  ${place.line === null ? name : `${name}:${place.line}`}`,
    `  ${title}`,
    ...(excerpt === undefined ? [] : [renderExcerpt(excerpt)]),
    `  ${message}`,
    ...(suggestion === undefined ? [] : [`  Suggestion: ${suggestion}`]),
  ].join('\n');
}

/**
 * Findings for a terminal: file and line, the redacted code there, what is wrong, what to do; then the
 * sums and each budget that was spent. Without excerpts no code, below `findings` the sums alone.
 */
export function renderFindings(review: StoredReview, level: PrintedLevel, excerpts: Excerpts): string {
  const { reviewed_full: full, files } = review.coverage.totals;
  const sum = `${plural(review.findings.length, 'finding')}; ${full} of ${plural(files, 'file')} reviewed in full; ${plural(review.secretsWithheld, 'secret')} withheld.`;
  const since = describeSinceVersion(review);
  const sums = [...(since === null ? [] : [since]), sum, ...describeSpentBudgets(review)].join('\n');
  if (level === 'counts') return makePrintable(sums);
  const parts = review.findings.map((finding) => renderFinding(finding, level === 'code' ? excerpts : new Map()));
  return makePrintable([...parts, ...describeCheck(review), ...describeEarlier(review), sums].join('\n\n'));
}

/** The sums of a review as a value: no text of it. */
export function countReview({ findings, check, coverage, state, secretsWithheld, usage }: StoredReview): object {
  return { findings: findings.length, check, coverage: coverage.totals, state, secretsWithheld, usage };
}
