import type { ReportView } from './report-view.js';

/**
 * The review as JSON: findings as they are to be shown, with depot paths, what was read, the verdict
 * and the tokens. `format` grows where a member changes its meaning.
 */
export function renderJson({ review, excerpts }: ReportView): string {
  const { change, findings, history, earlier, suppressed, check, droppedByCheck } = review;
  const { coverage, state, secretsWithheld, reviewers, usage } = review;
  const shown = findings.map((finding) => {
    const excerpt = excerpts.get(finding.id);
    return excerpt === undefined ? finding : { ...finding, excerpt };
  });
  const { changelistId, user, kind } = change;
  const report = {
    format: 1,
    change: { changelistId, user, kind },
    ...{ findings: shown, history, earlier, suppressed, check, droppedByCheck },
    ...{ coverage, state, secretsWithheld, reviewers, usage },
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}
