import type { Severity } from '../review/review-result.js';
import { makeInert } from './inert-text.js';
import type { LocalPaths } from './local-path.js';
import { listOpen, type ReportedFinding, type ReportView, ruleOf, textOf } from './report-view.js';
import { listUnreadParts } from './unread-parts.js';

type RdSeverity = 'ERROR' | 'WARNING' | 'INFO';

const SEVERITY: Readonly<Record<Severity, RdSeverity>> = {
  critical: 'ERROR',
  high: 'ERROR',
  medium: 'WARNING',
  low: 'INFO',
  info: 'INFO',
};

/** A message `Diagnostic` of the Reviewdog Diagnostic Format; lines alone, so a range ends with its last line. */
interface Diagnostic {
  message: string;
  location?: { path: string; range?: { start: { line: number }; end?: { line: number } } };
  severity: RdSeverity;
  code: { value: string };
}

function toDiagnostic(finding: ReportedFinding, paths: LocalPaths): Diagnostic {
  const { file, place, severity } = finding;
  const end = place.endLine === null ? {} : { end: { line: place.endLine } };
  const range = place.line === null ? {} : { range: { start: { line: place.line }, ...end } };
  return {
    message: makeInert(textOf(finding)),
    ...(file === null ? {} : { location: { path: paths.of(file), ...range } }),
    severity: SEVERITY[severity],
    code: { value: ruleOf(finding) },
  };
}

/** The review as one `DiagnosticResult` of reviewdog (`-f=rdjson`), in JSON. */
export function renderRdjson({ review, paths }: ReportView): string {
  const unread = listUnreadParts(review).map(
    ({ level, text, file }): Diagnostic => ({
      message: text,
      ...(file === null ? {} : { location: { path: paths.of(file) } }),
      severity: level === 'error' ? 'ERROR' : 'WARNING',
      code: { value: 'unread' },
    }),
  );
  const diagnostics = [...unread, ...listOpen(review).map((finding) => toDiagnostic(finding, paths))];
  return `${JSON.stringify({ source: { name: 'criticizer' }, diagnostics }, null, 2)}\n`;
}
