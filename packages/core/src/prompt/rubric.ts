import type { Severity } from '../review/review-result.js';

/** What each severity means, by consequence: a line and an example. */
const meanings: Readonly<Record<Severity, string>> = {
  critical:
    'data loss, a hole that an outsider can use, or a failure of every run. Example: a query joins user input into SQL.',
  high: 'a wrong result, crash, leak or deadlock in usual use. Example: an early return leaves a lock held.',
  medium: 'the same in unusual use, or a cost that grows. Example: a failed write is not reported.',
  low: 'a small fault with a way round it. Example: a log line names the wrong unit.',
  info: 'no fault yet, worth a look. Example: a comment contradicts the code under it.',
};

/** The section of the system text that says which severity to choose (PR-3). */
export function renderRubric(): string {
  const lines = Object.entries(meanings).map(([severity, meaning]) => `- ${severity}: ${meaning}`);
  return [
    '# Severity',
    'Choose by what happens and how often, not by how sure you are: doubt belongs in confidence.',
    ...lines,
  ].join('\n');
}
