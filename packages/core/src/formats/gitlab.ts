import { digest } from '../review/merge/identity.js';
import type { Severity } from '../review/review-result.js';
import { makeInert } from './inert-text.js';
import { CHANGE_PATH, type LocalPaths } from './local-path.js';
import { listOpen, type ReportedFinding, type ReportView, ruleOf, textOf } from './report-view.js';
import { listUnreadParts } from './unread-parts.js';

type Degree = 'info' | 'minor' | 'major' | 'critical' | 'blocker';

const DEGREES: Readonly<Record<Severity, Degree>> = {
  critical: 'blocker',
  high: 'critical',
  medium: 'major',
  low: 'minor',
  info: 'info',
};

/** One entry of a code quality report: GitLab wants each of these. */
interface Issue {
  description: string;
  check_name: string;
  /** Entries of one fingerprint are shown once, so each has its own. */
  fingerprint: string;
  severity: Degree;
  location: { path: string; lines: { begin: number; end?: number } };
}

function toIssue(finding: ReportedFinding, paths: LocalPaths): Issue {
  const { id, file, place, severity } = finding;
  const end = place.endLine === null ? {} : { end: place.endLine };
  return {
    description: makeInert(textOf(finding)),
    check_name: ruleOf(finding),
    fingerprint: id,
    severity: DEGREES[severity],
    location: { path: file === null ? CHANGE_PATH : paths.of(file), lines: { begin: place.line ?? 1, ...end } },
  };
}

/** The review as a report of GitLab's code quality, in JSON. */
export function renderGitlab({ review, paths }: ReportView): string {
  const unread = listUnreadParts(review).map(
    ({ level, text, file }): Issue => ({
      description: text,
      check_name: 'unread',
      fingerprint: digest(JSON.stringify(['unread', file, text])),
      severity: level === 'error' ? 'major' : 'minor',
      location: { path: file === null ? CHANGE_PATH : paths.of(file), lines: { begin: 1 } },
    }),
  );
  const issues = [...unread, ...listOpen(review).map((finding) => toIssue(finding, paths))];
  return `${JSON.stringify(issues, null, 2)}\n`;
}
