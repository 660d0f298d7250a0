import type { ReviewMailContent, ReviewMailCounts, ReviewMailFinding } from '@criticizer/core/ports';
import { nameLine } from '../rendering/name-place.js';
import { decideCountsVerdict } from '../rendering/render-counts-mail.js';
import { defaultLabels, fill } from '../rendering/review-mail-input.js';
import { describeCheck, describeGap, describeSecrets, gapOf, verdictOf } from '../rendering/review-verdict.js';
import { describeAsBefore, describeSince } from '../rendering/since-version.js';
import { headLine, inertLine, inertText } from './render-comment.js';

/** The longest comment that this channel makes, in UTF-16 units. */
export const maxSummaryChars = 60_000;
/** Findings of one summary; the others are counted. */
const maxListed = 50;
/** Warnings of one summary, and the units that they may take; the others are counted. */
const maxWarnings = 20;
const maxWarningChars = 15_000;
/** Units for the line that counts what is left out. */
const reserve = 200;
/** Those of a mail, where it does not speak of itself. */
const labels = { ...defaultLabels, secretsReported: 'Findings of this review about them: {n}.' };

const bullet = (text: string): string => `- ${text}`;
const present = (lines: readonly (string | null)[]): readonly string[] => lines.filter((line) => line !== null);

/** What there is to say, as one paragraph. */
function joined(parts: readonly (string | null)[]): readonly string[] {
  const said = present(parts).map((part) => (/[.!?]$/.test(part) ? part : `${part}.`));
  return said.length === 0 ? [] : [said.join(' ')];
}

const sign = (reference: string): string => `*Criticizer, a language model: advice, not a verdict* · ${reference}`;

/** A finding that has no comment of its own: one paragraph of the list. */
function listFinding(finding: ReviewMailFinding): string {
  const where = inertLine(nameLine(finding.file, finding.place.line, labels), 500);
  return bullet(`${headLine(finding)} (${where}). ${inertLine(finding.message, 600)}`);
}

/** The first lines, at most so many and of so many units together with a line break each. */
function takeFirst(lines: readonly string[], maxLines: number, maxChars: number): readonly string[] {
  let left = maxChars;
  const end = lines.slice(0, maxLines).findIndex((line) => {
    left -= line.length + 2;
    return left < 0;
  });
  return lines.slice(0, end < 0 ? maxLines : end);
}

/** What has no room: how many, and where they are. */
const leftOut = (n: number, what: string): string =>
  `and ${n} more ${what}: the review that Criticizer stored has them.`;

function renderWarnings(warnings: readonly string[]): readonly string[] {
  const all = warnings.slice(0, maxWarnings).map((warning) => inertLine(warning, 1_000));
  const shown = takeFirst(all, maxWarnings, maxWarningChars);
  const more = warnings.length - shown.length;
  return [...shown, ...(more > 0 ? [leftOut(more, 'warnings')] : [])];
}

/** The findings of the list, worst first, in at most `maxChars` units; one paragraph, or none. */
function renderRest(rest: readonly ReviewMailFinding[], title: string, maxChars: number): readonly string[] {
  if (rest.length === 0) return [];
  const shown = takeFirst(rest.slice(0, maxListed).map(listFinding), maxListed, maxChars);
  const more = rest.length - shown.length;
  const lines = [...shown, ...(more > 0 ? [bullet(leftOut(more, 'findings'))] : [])];
  // Without the empty line the list would be part of the paragraph.
  return [[`**${title}:**`, '', ...lines].join('\n')];
}

interface SummaryParts {
  content: ReviewMailContent;
  /** How many findings of this review have comments of their own. */
  commented: number;
  /** Findings of this review that no comment shows, worst first. */
  rest: readonly ReviewMailFinding[];
  reference: string;
}

/** The one comment about the whole review, of which people get mail: at most 60,000 UTF-16 units. */
export function renderSummary({ content, commented, rest, reference }: SummaryParts): string {
  const { change, result, sinceVersion, warnings, check } = content;
  const secrets = describeSecrets(content, labels);
  const head = [
    present([
      `**Criticizer: ${verdictOf(content).phrase}** in change ${change.number}.`,
      describeSince(sinceVersion, labels),
      describeAsBefore(sinceVersion, labels),
      commented === 0 ? null : `In comments at their places: ${commented}.`,
    ]).join(' '),
    ...(result.summary?.trim() ? [inertText(result.summary, 2_000)] : []),
  ];
  const last = [
    ...joined([gapOf(content), ...describeCheck(check, labels), secrets?.sentence ?? null]),
    ...renderWarnings(warnings),
    sign(reference),
  ];
  const used = [...head, ...last].reduce((sum, part) => sum + part.length + 2, reserve);
  const title = commented === 0 ? 'Findings' : 'Without a comment of their own';
  return [...head, ...renderRest(rest, title, maxSummaryChars - used), ...last].join('\n\n');
}

/** The same where findings may not go: numbers and fixed words. */
export function renderCounts(counts: ReviewMailCounts, reference: string): string {
  const verdict = decideCountsVerdict({ counts });
  const { change, check, sinceVersion, withheldSecrets } = counts;
  return [
    present([
      `**Criticizer: ${verdict.phrase}** in change ${change.number}.`,
      describeSince(sinceVersion, labels),
    ]).join(' '),
    ...joined([describeGap(verdict.counts, labels), ...describeCheck(check, labels)]),
    ...(withheldSecrets === 0 ? [] : [fill(labels.secrets, { n: withheldSecrets })]),
    sign(reference),
  ].join('\n\n');
}
