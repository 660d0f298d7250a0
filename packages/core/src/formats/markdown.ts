import { plural } from '../review/plural.js';
import { SEVERITIES, summariseFindings } from '../review/review-result.js';
import { escapeMarkdown, escapeMarkdownLine, fenceCode } from './inert-text.js';
import { carriedNote, listOpen, type ReportedFinding, type ReportView, ruleOf } from './report-view.js';
import { describeSinceVersion } from './since-version.js';
import { listUnreadParts } from './unread-parts.js';

function placeOf({ file, place }: ReportedFinding, { paths }: ReportView): string {
  if (file === null) return 'the change itself';
  const end = place.endLine === null ? '' : `-${place.endLine}`;
  return `${paths.of(file)}${place.line === null ? '' : `:${place.line}${end}`}`;
}

function renderFinding(finding: ReportedFinding, view: ReportView): string {
  const note = carriedNote(finding);
  const { id, title, message, suggestion, severity, category, confidence, rule_id } = finding;
  const sure = confidence === undefined ? '' : `, confidence ${confidence}`;
  const rule = rule_id === undefined ? '' : `, rule ${escapeMarkdownLine(ruleOf(finding))}`;
  const code = view.excerpts.get(id)?.map(({ line, text, isCited }) => `${isCited ? '>' : ' '} ${line}  ${text}`);
  return [
    `### ${severity}: ${escapeMarkdownLine(title)}`,
    `${escapeMarkdownLine(placeOf(finding, view))}  \n${category}${sure}${rule}`,
    ...(code === undefined ? [] : [fenceCode(code.join('\n'))]),
    escapeMarkdown(message),
    ...(note === '' ? [] : [`*${note}*`]),
    ...(suggestion === undefined ? [] : [`**Suggestion:** ${escapeMarkdown(suggestion)}`]),
  ].join('\n\n');
}

function countFindings({ review }: ReportView): string {
  const counts = summariseFindings(listOpen(review));
  const present = SEVERITIES.filter((severity) => counts[severity] > 0);
  if (present.length > 0) return present.map((severity) => `${counts[severity]} ${severity}`).join(', ');
  return review.state.verdict === 'no_findings' ? 'no findings' : 'inconclusive';
}

/** The review as Markdown: nothing of the model's or the change's text acts as markup. */
export function renderMarkdown(view: ReportView): string {
  const { review, paths } = view;
  const { files, reviewed_full: full } = review.coverage.totals;
  const unread = listUnreadParts(review).map(({ text, file }) => {
    const of = file === null ? '' : `${escapeMarkdownLine(paths.of(file))}: `;
    return `- ${of}${escapeMarkdownLine(text)}`;
  });
  const resolved = review.earlier
    .filter(({ state }) => state === 'resolved')
    .map((one) => `- ${escapeMarkdownLine(`${placeOf(one, view)} ${one.title}`)}`);
  const since = describeSinceVersion(review);
  const parts = [
    `## Review of change ${escapeMarkdownLine(review.change.changelistId)}: ${countFindings(view)}`,
    ...(since === null ? [] : [since]),
    `${full} of ${plural(files, 'file')} reviewed in full; ${plural(review.secretsWithheld, 'secret')} withheld.`,
    ...(unread.length === 0 ? [] : [`**Not the whole change:**\n\n${unread.join('\n')}`]),
    ...listOpen(review).map((finding) => renderFinding(finding, view)),
    ...(resolved.length === 0 ? [] : [`### Resolved\n\n${resolved.join('\n')}`]),
  ];
  return `${parts.join('\n\n')}\n`;
}
