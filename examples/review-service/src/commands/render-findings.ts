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

/** Findings for a terminal: file and line, the lines there, what is wrong, what to do. Secrets are replaced. */
export function renderFindings(review: StoredReview, change: Change | null, redact: (text: string) => string): string {
  const parts = review.findings.map(({ severity, title, file, place, message, suggestion }) => {
    const where = place.line === null ? file : `${file}:${place.line}`;
    const lines =
      place.line === null || change === null
        ? ''
        : excerpt(change, file, place.line, place.endLine ?? place.line, redact);
    const advice = suggestion === undefined ? [] : [`  Suggestion: ${suggestion}`];
    return [`${severity}  ${where}`, `  ${title}`, ...(lines === '' ? [] : [lines]), `  ${message}`, ...advice].join(
      '\n',
    );
  });
  const { reviewed_full: full, files } = review.coverage.totals;
  const sum = `${plural(review.findings.length, 'finding')}; ${full} of ${plural(files, 'file')} reviewed in full; ${plural(review.secretsWithheld, 'secret')} withheld.`;
  return [...parts, sum].join('\n\n');
}
