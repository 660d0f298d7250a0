import type { ReviewMailContent, ReviewMailCounts, ReviewMailFinding } from '@criticizer/core/ports';
import { nameLine } from '../rendering/name-place.js';
import { decideCountsVerdict } from '../rendering/render-counts-mail.js';
import { defaultLabels, fill } from '../rendering/review-mail-input.js';
import { describeCheck, describeGap, describeSecrets, gapOf, verdictOf } from '../rendering/review-verdict.js';
import { describeAsBefore, describeSince } from '../rendering/since-version.js';
import { headLine, inertLine, inertText } from './render-comment.js';

/** Findings of one summary; the others are counted. */
const maxListed = 50;
const labels = defaultLabels;

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

interface SummaryParts {
  content: ReviewMailContent;
  /** How many findings of this review have comments of their own. */
  commented: number;
  /** Findings of this review that no comment shows, worst first. */
  rest: readonly ReviewMailFinding[];
  reference: string;
}

/** The one comment about the whole review, of which people get mail. */
export function renderSummary({ content, commented, rest, reference }: SummaryParts): string {
  const { change, result, sinceVersion, warnings, check } = content;
  const secrets = describeSecrets(content, labels);
  const others = rest.length - maxListed;
  return [
    present([
      `**Criticizer: ${verdictOf(content).phrase}** in change ${change.number}.`,
      describeSince(sinceVersion, labels),
      describeAsBefore(sinceVersion, labels),
      commented === 0 ? null : `In comments at their places: ${commented}.`,
    ]).join(' '),
    ...(result.summary?.trim() ? [inertText(result.summary, 2_000)] : []),
    ...(rest.length === 0
      ? []
      : [
          [
            `**${commented === 0 ? 'Findings' : 'Without a comment of their own'}:**`,
            '', // or the list would be part of the paragraph
            ...rest.slice(0, maxListed).map(listFinding),
            ...(others > 0 ? [bullet(fill(labels.moreFindings, { n: others }))] : []),
          ].join('\n'),
        ]),
    ...joined([gapOf(content), ...describeCheck(check, labels), secrets?.sentence ?? null]),
    ...warnings.map((warning) => inertLine(warning, 1_000)),
    sign(reference),
  ].join('\n\n');
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
