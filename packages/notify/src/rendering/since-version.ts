import type { ReviewMailContent, ReviewMailCounts } from '@criticizer/core/ports';
import { inline } from './html-style.js';
import { nameLine } from './name-place.js';
import { fill, labelsOf, type ReviewMailInput, type ReviewMailLabels } from './review-mail-input.js';
import { escapeHtml, visibleLine } from './visible-text.js';

type Since = NonNullable<ReviewMailCounts['sinceVersion']>;
type NotReported = NonNullable<ReviewMailContent['sinceVersion']>['notReported'][number];

/** For the verdict: earlier findings that are open or not verifiable; null: none. */
export function describeUnsettled(since: Since | undefined, labels: ReviewMailLabels): string | null {
  if (since === undefined) return null;
  const parts = [
    ...(since.open === 0 ? [] : [fill(labels.earlierOpen, { n: since.open })]),
    ...(since.notVerifiable === 0 ? [] : [fill(labels.earlierNotVerifiable, { n: since.notVerifiable })]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}

/** `Since version 1: 2 new, 3 still open, 1 resolved.`; null where there is no version to compare with. */
export function describeSince(since: Since | undefined, labels: ReviewMailLabels): string | null {
  if (since === undefined) return null;
  const { reviewVersion: version, new: fresh, reportedAgain, open, resolved, notVerifiable } = since;
  const counts = [
    fill(labels.sinceNew, { n: fresh }),
    fill(labels.sinceOpen, { n: reportedAgain + open }),
    fill(labels.sinceResolved, { n: resolved }),
    ...(notVerifiable === 0 ? [] : [fill(labels.sinceNotVerifiable, { n: notVerifiable })]),
  ];
  return `${fill(labels.since, { version })}: ${counts.join(', ')}.`;
}

/** `4 of 5 files as before, not read again.`; null: every file was read. */
export function describeAsBefore(since: Since | undefined, labels: ReviewMailLabels): string | null {
  if (since?.filesAsBefore === undefined) return null;
  const { count, of } = since.filesAsBefore;
  return fill(labels.filesAsBefore, { n: count, total: of });
}

const order: readonly NotReported['state'][] = ['resolved', 'open', 'not_verifiable'];

function describeState({ state }: NotReported, labels: ReviewMailLabels): string {
  if (state === 'resolved') return labels.stateResolved;
  return state === 'open' ? labels.stateOpen : labels.stateNotVerifiable;
}

/** Lines of a mail's list of what was not reported again, most of it shown. */
const MAX_SHOWN = 20;

function listShown({ sinceVersion }: Pick<ReviewMailInput, 'sinceVersion'>): {
  shown: readonly NotReported[];
  more: number;
} {
  if (sinceVersion === undefined) return { shown: [], more: 0 };
  const { notReported, open, resolved, notVerifiable } = sinceVersion;
  const sorted = order.flatMap((state) => notReported.filter((one) => one.state === state));
  const shown = sorted.slice(0, MAX_SHOWN);
  return { shown, more: open + resolved + notVerifiable - shown.length };
}

/** The section of the text part: the sentence, then each not reported again. Empty without a version before. */
export function sinceText(input: ReviewMailInput): string[] {
  const labels = labelsOf(input);
  const sentence = describeSince(input.sinceVersion, labels);
  if (sentence === null) return [];
  const asBefore = describeAsBefore(input.sinceVersion, labels);
  const { shown, more } = listShown(input);
  const lines = shown.flatMap((one) => [
    `  ${describeState(one, labels)}: ${visibleLine(one.title, 400)} (${labels[one.severity]}, ${nameLine(one.file, one.line, labels)})`,
    ...(one.reason === undefined ? [] : [`    ${visibleLine(one.reason, 400)}`]),
  ]);
  const said = asBefore === null ? sentence : `${sentence} ${asBefore}`;
  return [[said, ...lines, ...(more > 0 ? [`  ${fill(labels.more, { n: more })}`] : [])].join('\n')];
}

/** The same of the HTML part. */
export function sinceHtml(input: ReviewMailInput): string {
  const labels = labelsOf(input);
  const sentence = describeSince(input.sinceVersion, labels);
  if (sentence === null) return '';
  const { shown, more } = listShown(input);
  const rows = shown.map((one) => {
    const where = `${labels[one.severity]} · ${nameLine(one.file, one.line, labels)}`;
    const why = one.reason === undefined ? '' : ` · ${visibleLine(one.reason, 300)}`;
    const head = `<b>${escapeHtml(describeState(one, labels))}:</b> ${escapeHtml(visibleLine(one.title, 200))}`;
    return `<p dir="auto" style="${inline.brief}">${head}</p>\n<p class="m" style="${inline.facts}">${escapeHtml(where + why)}</p>`;
  });
  if (more > 0) rows.push(`<p class="m" style="${inline.meta}">${escapeHtml(fill(labels.more, { n: more }))}</p>`);
  const asBefore = describeAsBefore(input.sinceVersion, labels);
  const said = asBefore === null ? '' : ` ${escapeHtml(asBefore)}`;
  return [`<p style="margin:14px 0 4px"><b>${escapeHtml(sentence)}</b>${said}</p>`, ...rows].join('\n');
}
