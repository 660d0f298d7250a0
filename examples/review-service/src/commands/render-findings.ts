import type { StoredReview } from '@criticizer/core';
import type { Change } from '@criticizer/core/ports';
import { plural } from './describe-egress.js';

/** Lines shown before and after the line of a finding. */
const around = 2;

/** The new side of a file as far as the change shows it, by line number. */
function newLines(change: Change, path: string): ReadonlyMap<number, string> {
  const lines = new Map<number, string>();
  for (const { newStart, lines: hunk } of change.files.find((file) => file.path === path)?.hunks ?? []) {
    let at = newStart;
    for (const line of hunk) {
      if (line.startsWith('-')) continue;
      lines.set(at, line.slice(1));
      at += 1;
    }
  }
  return lines;
}

function excerpt(change: Change, path: string, from: number, to: number, redact: (text: string) => string): string {
  const lines = newLines(change, path);
  const numbers = Array.from({ length: to - from + 1 + 2 * around }, (_, at) => from - around + at);
  // Together: a secret may span lines.
  const shown = numbers.filter((number) => lines.has(number));
  const text = redact(shown.map((number) => lines.get(number) ?? '').join('\n')).split('\n');
  return shown
    .map(
      (number, at) =>
        `  ${number >= from && number <= to ? '>' : ' '} ${String(number).padStart(5)}  ${text[at] ?? ''}`,
    )
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

/**
 * Findings for a terminal: file and line, the lines there, what is wrong, what to do; then the sums
 * and each budget that was spent. Secrets are replaced.
 */
export function renderFindings(review: StoredReview, change: Change | null, redact: (text: string) => string): string {
  const parts = review.findings.map(({ severity, title, file, place, message, suggestion }) => {
    const name = file ?? 'the change itself';
    const where = place.line === null ? name : `${name}:${place.line}`;
    const lines =
      file === null || place.line === null || change === null
        ? ''
        : excerpt(change, file, place.line, place.endLine ?? place.line, redact);
    const advice = suggestion === undefined ? [] : [`  Suggestion: ${suggestion}`];
    return [`${severity}  ${where}`, `  ${title}`, ...(lines === '' ? [] : [lines]), `  ${message}`, ...advice].join(
      '\n',
    );
  });
  const { reviewed_full: full, files } = review.coverage.totals;
  const sum = `${plural(review.findings.length, 'finding')}; ${full} of ${plural(files, 'file')} reviewed in full; ${plural(review.secretsWithheld, 'secret')} withheld.`;
  return [...parts, ...describeCheck(review), [sum, ...describeSpentBudgets(review)].join('\n')].join('\n\n');
}
