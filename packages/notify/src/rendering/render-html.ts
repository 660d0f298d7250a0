import type { ReviewMailCoverage } from '@criticizer/core/ports';
import { renderFindings } from './html-findings.js';
import { renderPage } from './html-page.js';
import { badge, inline, note } from './html-style.js';
import { fill, footerText, labelsOf, type ReviewMailInput } from './review-mail-input.js';
import {
  describeCheck,
  describeDropped,
  describeNotShown,
  describeSecrets,
  describeSuppressed,
  gapOf,
  groupFindings,
  isNeutral,
  titleOf,
  verdictOf,
} from './review-verdict.js';
import { describeUnsettled, sinceHtml } from './since-version.js';
import { cut, escapeHtml, visibleLine, visibleText } from './visible-text.js';

/** Mail clients clip near 102 kB; a clipped mail hides findings. */
export const MAX_HTML_BYTES = 99_000;
/** What everything but the findings may take; findings come first. */
const AROUND_BYTES = 40_000;

/** How much room the parts around the findings get; the text part has all of it. */
interface Room {
  files: number;
  warnings: number;
  summaryChars: number;
}
const rooms: readonly Room[] = [
  { files: 60, warnings: 20, summaryChars: 6_000 },
  { files: 20, warnings: 10, summaryChars: 2_000 },
  { files: 5, warnings: 3, summaryChars: 600 },
  { files: 0, warnings: 0, summaryChars: 200 },
];

function badges(input: ReviewMailInput): string {
  const labels = labelsOf(input);
  const verdict = verdictOf(input);
  const groups = groupFindings(input.result.findings);
  const words = groups.map(({ severity, count }) => [severity, `${count} ${labels[severity]}`] as const);
  // Dropped findings are in the coverage where others are shown.
  const leftOut = describeDropped(input.check, labels) ?? describeSuppressed(input.suppressed, labels);
  const notShown = describeNotShown(input) ?? (words.length > 0 ? null : leftOut);
  const unsettled = describeUnsettled(input.sinceVersion, labels);
  const all = [
    ...words,
    ...(notShown === null ? [] : [['info', notShown] as const]),
    ...(unsettled === null ? [] : [['info', unsettled] as const]),
    ...(words.length === 0 && notShown === null && unsettled === null && verdict.complete
      ? [['clean', labels.noFindings] as const]
      : []),
    ...(verdict.complete ? [] : [['incomplete', labels.incomplete] as const]),
  ];
  return all.map(([tone, word]) => `<span class="${tone}" style="${badge(tone)}">${escapeHtml(word)}</span>`).join('');
}

function head(input: ReviewMailInput): string {
  const labels = labelsOf(input);
  const { change } = input;
  const title = titleOf(input, 200);
  const facts = [
    `${labels.by} ${visibleLine(change.user, 100)}`,
    labels[change.kind],
    `${labels.server} ${visibleLine(change.serverId, 100)}`,
    `${labels.version} ${input.reviewVersion}`,
  ];
  const link = input.links?.change;
  const open =
    link === undefined
      ? ''
      : ` · <a class="a" href="${escapeHtml(new URL(link).href)}" style="${inline.button}">${escapeHtml(labels.openChange)}</a>`;
  return [
    `<p class="m" style="${inline.brand}">Criticizer · ${escapeHtml(labels.review)}</p>`,
    `<h1 dir="auto" style="${inline.title}">${escapeHtml(`${labels.change} ${change.number}${title === '' ? '' : `: ${title}`}`)}</h1>`,
    `<p class="m" style="${inline.meta}">${escapeHtml(facts.join(' · '))}${open}</p>`,
    `<p style="margin:14px 0 0">${badges(input)}</p>`,
  ].join('\n');
}

function secretNote(input: ReviewMailInput, room: Room): string[] {
  const labels = labelsOf(input);
  const secrets = describeSecrets(input, labels);
  if (secrets === null) return [];
  const rows = secrets.others.slice(0, room.warnings).map((other) => `•\u00a0${other}`);
  const rest = secrets.others.length - rows.length;
  if (rest > 0) rows.push(fill(labels.more, { n: rest }));
  const lines = [secrets.sentence, ...rows].map(escapeHtml).join('<br>');
  return [`<p dir="ltr" class="high" style="${note('high')}">${lines}</p>`];
}

function remarks(input: ReviewMailInput, room: Room): string {
  const labels = labelsOf(input);
  const gap = gapOf(input);
  const warnings = input.warnings.slice(0, room.warnings).map((warning) => escapeHtml(visibleLine(warning, 400)));
  if (input.warnings.length > room.warnings)
    warnings.push(escapeHtml(fill(labels.more, { n: input.warnings.length - room.warnings })));
  return [
    ...(gap === null ? [] : [`<p class="incomplete" style="${note('incomplete')}">${escapeHtml(gap)}</p>`]),
    ...(warnings.length === 0
      ? []
      : [
          `<div class="incomplete" style="${note('incomplete')}"><b>${escapeHtml(labels.warnings)}</b><br>${warnings.join('<br>')}</div>`,
        ]),
    ...secretNote(input, room),
  ].join('\n');
}

function summary(input: ReviewMailInput, room: Room): string {
  const text = visibleText(cut((input.result.summary ?? '').trim(), room.summaryChars)).trim();
  if (text === '') return '';
  const heading = `<h2 style="${inline.h2}">${escapeHtml(labelsOf(input).summary)}</h2>`;
  return `${heading}\n<p dir="auto" style="${inline.text}">${escapeHtml(cut(text, room.summaryChars))}</p>`;
}

function fileList(label: string, files: readonly ReviewMailCoverage[], input: ReviewMailInput, room: Room): string {
  if (files.length === 0) return '';
  const labels = labelsOf(input);
  const rows = files.slice(0, room.files).map(({ path, reason }) => {
    const why =
      reason === undefined ? '' : Object.hasOwn(labels.reasons, reason) ? (labels.reasons[reason] ?? '') : reason;
    const tail = why === '' ? '' : ` <span class="m">(${escapeHtml(visibleLine(why, 120))})</span>`;
    return `<p dir="ltr" class="l" style="${inline.list}">${escapeHtml(visibleLine(path, 240))}${tail}</p>`;
  });
  if (files.length > room.files) {
    rows.push(
      `<p class="m" style="${inline.meta}">${escapeHtml(fill(labels.more, { n: files.length - room.files }))}</p>`,
    );
  }
  return `<p style="margin:10px 0 2px"><b>${escapeHtml(`${label}: ${files.length}`)}</b></p>\n${rows.join('\n')}`;
}

function coverage(input: ReviewMailInput, room: Room): string {
  const labels = labelsOf(input);
  const { counts } = verdictOf(input);
  const of = (state: ReviewMailCoverage['state'], neutral = false): ReviewMailCoverage[] =>
    input.coverage.files.filter((file) => file.state === state && isNeutral(file) === neutral);
  const reviewed =
    counts.reviewed + counts.partial === 0 ? labels.noFiles : `${labels.filesReviewed}: ${counts.reviewed}`;
  return [
    `<h2 class="ln" style="${inline.group}">${escapeHtml(labels.coverage)}</h2>`,
    `<p style="margin:8px 0 0"><b>${escapeHtml(reviewed)}</b></p>`,
    ...describeCheck(input.check, labels).map((sentence) => `<p style="margin:8px 0 0">${escapeHtml(sentence)}</p>`),
    fileList(labels.filesPartial, of('partial'), input, room),
    fileList(labels.filesSkipped, of('skipped'), input, room),
    fileList(labels.filesNeutral, of('skipped', true), input, room),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function page(input: ReviewMailInput, sections: readonly string[]): string {
  const { lang, change, unsubscribe: word } = labelsOf(input);
  const title = `${change} ${input.change.number}`;
  const unsubscribe = { word, url: input.links?.unsubscribe };
  return renderPage(
    { lang, title, preview: verdictOf(input).phrase, footer: footerText(input), unsubscribe },
    sections,
  );
}

/**
 * The HTML part: tables with inlined styles, light and dark, nothing loaded from anywhere, no link
 * but the given one. Below `MAX_HTML_BYTES` for any number of findings: the worst are shown in full
 * first, the rest shorter, and the mail says so.
 */
export function renderHtml(input: ReviewMailInput): string {
  let sections: string[] = [];
  let around = Number.POSITIVE_INFINITY;
  for (const room of rooms) {
    sections = [head(input), sinceHtml(input), remarks(input, room), summary(input, room), coverage(input, room)];
    around = Buffer.byteLength(page(input, [...sections, ' ']));
    if (around <= AROUND_BYTES) break;
  }
  const last = sections.length - 1;
  return page(input, [
    ...sections.slice(0, last),
    renderFindings(input, MAX_HTML_BYTES - around),
    ...sections.slice(last),
  ]);
}
