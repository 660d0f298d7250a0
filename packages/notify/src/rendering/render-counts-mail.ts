import { checkCountsMailInput } from './check-mail-input.js';
import { renderPage } from './html-page.js';
import { badge, inline, note, type Tone } from './html-style.js';
import type { RenderedMail } from './render-review-mail.js';
import {
  type CountsMailInput,
  fill,
  footerText,
  labelsOf,
  listUnsubscribe,
  type ReviewMailLabels,
  severities,
} from './review-mail-input.js';
import {
  decideVerdict,
  describeCheck,
  describeDropped,
  describeGap,
  describeSuppressed,
  type Verdict,
} from './review-verdict.js';
import { describeAsBefore, describeSince, describeUnsettled } from './since-version.js';
import { escapeHtml, visibleLine } from './visible-text.js';

/** The verdict of a mail that has counts alone. */
export function decideCountsVerdict({ counts, labels: given }: CountsMailInput): Verdict {
  const labels = labelsOf({ labels: given });
  const { findings, belowFloor, floor, check, conclusive, files } = counts;
  const suppressed = describeSuppressed(counts.suppressed, labels);
  const above = severities.reduce((sum, severity) => sum + findings[severity], 0);
  const below = fill(belowFloor === 1 ? labels.findingBelow : labels.findingsBelow, {
    n: belowFloor,
    severity: labels[floor],
  });
  const notShown = belowFloor === 0 || above > 0 ? null : below;
  const dropped = describeDropped(check, labels);
  const unsettled = describeUnsettled(counts.sinceVersion, labels);
  const facts = { findings, notShown, dropped, suppressed, unsettled, conclusive, files, hasWarnings: false };
  return decideVerdict(facts, labels);
}

/** What stands in a line of its own, in the order of the mail. */
interface Lines {
  title: string;
  facts: readonly string[];
  link: string | undefined;
  verdict: Verdict;
  since: string | null;
  gap: string | null;
  files: readonly string[];
  secrets: string | null;
  hint: string;
}

function listLines(input: CountsMailInput, labels: ReviewMailLabels): Lines {
  const { change, reviewVersion, files, withheldSecrets } = input.counts;
  const link = input.links?.change;
  const verdict = decideCountsVerdict(input);
  const neutral = files.total - files.reviewed - files.partial - files.skipped;
  return {
    title: `${labels.change} ${change.number}`,
    facts: [
      labels[change.kind],
      `${labels.server} ${visibleLine(change.serverId, 100)}`,
      `${labels.version} ${reviewVersion}`,
    ],
    link: link === undefined ? undefined : new URL(link).href,
    verdict,
    since: describeSince(input.counts.sinceVersion, labels),
    gap: describeGap(verdict.counts, labels),
    files: [
      `${labels.filesReviewed}: ${files.reviewed}`,
      ...(files.partial > 0 ? [`${labels.filesPartial}: ${files.partial}`] : []),
      ...(files.skipped > 0 ? [`${labels.filesSkipped}: ${files.skipped}`] : []),
      ...(neutral > 0 ? [`${labels.filesNeutral}: ${neutral}`] : []),
      ...describeCheck(input.counts.check, labels),
      ...[
        describeSuppressed(input.counts.suppressed, labels),
        describeAsBefore(input.counts.sinceVersion, labels),
      ].filter((line) => line !== null),
    ],
    secrets: withheldSecrets === 0 ? null : fill(labels.secrets, { n: withheldSecrets }),
    hint: link === undefined ? labels.countsOnly : labels.countsOnlyOpen,
  };
}

function renderText(lines: Lines, labels: ReviewMailLabels, footer: string, stop: readonly string[]): string {
  const { title, facts, link, verdict, since, gap, files, secrets, hint } = lines;
  const sections = [
    [title, facts.join(', '), ...(link === undefined ? [] : [link])],
    [verdict.phrase, ...(since === null ? [] : [since]), ...(gap === null ? [] : [gap])],
    [labels.coverage.toUpperCase(), '-'.repeat(Array.from(labels.coverage).length), ...files],
    ...(secrets === null ? [] : [[secrets]]),
    [hint],
    ['--', footer, ...stop],
  ];
  return `${sections.map((section) => section.join('\n')).join('\n\n')}\n`;
}

function listBadges({ counts }: CountsMailInput, { verdict }: Lines, labels: ReviewMailLabels): string {
  const found = severities.filter((severity) => counts.findings[severity] > 0);
  const words: (readonly [Tone, string])[] = [
    ...found.map((severity) => [severity, `${counts.findings[severity]} ${labels[severity]}`] as const),
    ...(found.length > 0 ? [] : [[verdict.token === 'clean' ? 'clean' : 'info', verdict.phrase] as const]),
    ...(verdict.complete || found.length === 0 ? [] : [['incomplete', labels.incomplete] as const]),
  ];
  return words
    .map(([tone, word]) => `<span class="${tone}" style="${badge(tone)}">${escapeHtml(word)}</span>`)
    .join('');
}

function renderHtml(input: CountsMailInput, lines: Lines, labels: ReviewMailLabels, footer: string): string {
  const { title, facts, link, since, gap, files, secrets, hint } = lines;
  const open =
    link === undefined
      ? ''
      : ` · <a class="a" href="${escapeHtml(link)}" style="${inline.button}">${escapeHtml(labels.openChange)}</a>`;
  const paragraph = (text: string): string => `<p style="margin:8px 0 0">${escapeHtml(text)}</p>`;
  const head = [
    `<p class="m" style="${inline.brand}">Criticizer · ${escapeHtml(labels.review)}</p>`,
    `<h1 style="${inline.title}">${escapeHtml(title)}</h1>`,
    `<p class="m" style="${inline.meta}">${escapeHtml(facts.join(' · '))}${open}</p>`,
    `<p style="margin:14px 0 0">${listBadges(input, lines, labels)}</p>`,
    ...(since === null ? [] : [paragraph(since)]),
  ];
  const remarks = [
    ...(gap === null ? [] : [`<p class="incomplete" style="${note('incomplete')}">${escapeHtml(gap)}</p>`]),
    ...(secrets === null ? [] : [`<p class="high" style="${note('high')}">${escapeHtml(secrets)}</p>`]),
  ];
  const coverage = [
    `<h2 class="ln" style="${inline.group}">${escapeHtml(labels.coverage)}</h2>`,
    ...[...files, hint].map(paragraph),
  ];
  const unsubscribe = { word: labels.unsubscribe, url: input.links?.unsubscribe };
  const texts = { lang: labels.lang, title, preview: lines.verdict.phrase, footer, unsubscribe };
  return renderPage(
    texts,
    [head, remarks, coverage].map((part) => part.join('\n')),
  );
}

/**
 * Renders a review in counts alone (ruling R21): verdict, numbers, what was not reviewed, and the
 * link. Pure, as `renderReviewMail` is. Throws `TypeError` for an input that would make the mail
 * say something false.
 */
export function renderCountsMail(input: CountsMailInput): RenderedMail {
  checkCountsMailInput(input);
  const labels = labelsOf(input);
  const { change, reviewVersion, isWithoutModel } = input.counts;
  const { labels: given, readsReplies, reason } = input;
  const footer = footerText({ labels: given, readsReplies, reason, reviewVersion, change, isWithoutModel });
  const lines = listLines(input, labels);
  return {
    subject: `[Criticizer] ${change.number}`,
    text: renderText(lines, labels, footer, listUnsubscribe(input)),
    html: renderHtml(input, lines, labels, footer),
  };
}
