import type { ReviewMailCoverage, ReviewMailFinding } from '@criticizer/core/ports';
import { nameFile } from './name-place.js';
import { excerptText } from './render-excerpt.js';
import {
  footerText,
  labelsOf,
  listUnsubscribe,
  type ReviewMailInput,
  type ReviewMailLabels,
} from './review-mail-input.js';
import {
  describeCheck,
  describeDoubt,
  describeSecrets,
  findingFacts,
  gapOf,
  groupFindings,
  isNeutral,
  titleOf,
  verdictOf,
} from './review-verdict.js';
import { sinceText } from './since-version.js';
import { cut, visibleLine, visibleText } from './visible-text.js';

/** A single text longer than this is cut, and says so: no model needs more, and a mail has to arrive. */
const MAX_TEXT_CHARS = 20_000;

const indent = (text: string, by: string): string =>
  cut(visibleText(cut(text.trimEnd(), MAX_TEXT_CHARS)), MAX_TEXT_CHARS)
    .split('\n')
    .map((line) => (line.trim() === '' ? '' : `${by}${line.trimEnd()}`))
    .join('\n');

const heading = (text: string): string => `${text.toUpperCase()}\n${'-'.repeat(Array.from(text).length)}`;

function finding(entry: ReviewMailFinding, number: number, input: ReviewMailInput, labels: ReviewMailLabels): string {
  const doubt = describeDoubt(entry, labels);
  const lines = [
    `  ${number}. ${visibleLine(entry.title, 400)}`,
    `     ${findingFacts(entry, labels).join(', ')}`,
    ...(doubt === null ? [] : [`     ${doubt}`]),
  ];
  if (number > (input.fullFindings ?? Number.POSITIVE_INFINITY)) return lines.join('\n');
  lines.push(indent(entry.message, '     '));
  if (entry.excerpt !== undefined) lines.push(indent(excerptText(entry.excerpt), '       '));
  if (entry.suggestion !== undefined && entry.suggestion.trim() !== '') {
    lines.push(`     ${labels.suggestion}:`, indent(entry.suggestion, '       '));
  }
  if (entry.hideUrl !== undefined) lines.push(`     ${labels.hideFinding}: ${new URL(entry.hideUrl).href}`);
  return lines.join('\n');
}

function findings(input: ReviewMailInput): string[] {
  let number = 0;
  const labels = labelsOf(input);
  return groupFindings(input.result.findings).map((group) => {
    const files = group.files.map(
      ({ file, findings: list }) =>
        `${nameFile(file, labels, 1_000)}\n${list.map((entry) => finding(entry, ++number, input, labels)).join('\n\n')}`,
    );
    return [heading(`${labels[group.severity]} (${group.count})`), ...files].join('\n\n');
  });
}

function coverageList(label: string, files: readonly ReviewMailCoverage[], input: ReviewMailInput): string[] {
  if (files.length === 0) return [];
  const reasons = labelsOf(input).reasons;
  const lines = files.map(({ path, reason }) => {
    const why =
      reason === undefined
        ? ''
        : ` - ${visibleLine(Object.hasOwn(reasons, reason) ? (reasons[reason] ?? '') : reason, 300)}`;
    return `  ${visibleLine(path, 1_000)}${why}`;
  });
  return [`${label}: ${files.length}`, ...lines];
}

function coverage(input: ReviewMailInput): string {
  const labels = labelsOf(input);
  const { counts } = verdictOf(input);
  const secrets = describeSecrets(input, labels);
  const of = (state: ReviewMailCoverage['state'], neutral = false): ReviewMailCoverage[] =>
    input.coverage.files.filter((file) => file.state === state && isNeutral(file) === neutral);
  return [
    heading(labels.coverage),
    ...(counts.reviewed + counts.partial === 0 ? [labels.noFiles] : [`${labels.filesReviewed}: ${counts.reviewed}`]),
    ...coverageList(labels.filesPartial, of('partial'), input),
    ...coverageList(labels.filesSkipped, of('skipped'), input),
    ...coverageList(labels.filesNeutral, of('skipped', true), input),
    ...describeCheck(input.check, labels),
    ...(secrets === null ? [] : [secrets.sentence, ...secrets.others.map((other) => `  ${other}`)]),
  ].join('\n');
}

/** The plain-text part: everything the mail has to say, `fullFindings` of its findings in full. */
export function renderText(input: ReviewMailInput): string {
  const labels = labelsOf(input);
  const { change } = input;
  const verdict = verdictOf(input);
  const title = titleOf(input, 300);
  const gap = gapOf(input);
  const head = [
    `${labels.change} ${change.number}${title === '' ? '' : `: ${title}`}`,
    `${labels.by} ${visibleLine(change.user, 100)}, ${labels[change.kind]}, ${labels.server} ${visibleLine(change.serverId, 100)}, ${labels.version} ${input.reviewVersion}`,
    ...(input.links?.change === undefined ? [] : [new URL(input.links.change).href]),
  ];
  const sections = [
    head.join('\n'),
    gap === null ? verdict.phrase : `${verdict.phrase}\n${gap}`,
    ...sinceText(input),
    ...(input.warnings.length > 0
      ? [[heading(labels.warnings), ...input.warnings.map((warning) => `  ${visibleLine(warning, 1_000)}`)].join('\n')]
      : []),
    ...(input.result.summary?.trim() ? [`${heading(labels.summary)}\n${indent(input.result.summary, '  ')}`] : []),
    ...findings(input),
    coverage(input),
    `--\n${[footerText(input), ...listUnsubscribe(input)].join('\n')}`,
  ];
  return `${sections.join('\n\n')}\n`;
}
