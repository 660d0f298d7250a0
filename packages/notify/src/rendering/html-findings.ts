import type { ReviewMailFinding } from '@criticizer/core/ports';
import { badge, inline } from './html-style.js';
import { nameFile } from './name-place.js';
import { type FindingBlock, type Level, planLevels } from './plan-findings.js';
import { excerptHtml } from './render-excerpt.js';
import { fill, labelsOf, type ReviewMailInput, type ReviewMailLabels } from './review-mail-input.js';
import { describeDoubt, findingFacts, groupFindings, type SeverityGroup } from './review-verdict.js';
import { cut, escapeHtml, visibleLine, visibleText } from './visible-text.js';

const SHORT_CHARS = 240;
const FULL_CHARS = 6_000;

/** Cut before it is made visible: a hostile text may be megabytes. */
const shown = (text: string, maxChars: number): string => cut(visibleText(cut(text, maxChars)), maxChars);

function renderFinding(finding: ReviewMailFinding, level: Level, labels: ReviewMailLabels): string {
  const title = escapeHtml(visibleLine(finding.title, level === 'full' ? 300 : 160));
  const doubt = describeDoubt(finding, labels);
  const warned = doubt === null ? '' : ` · <b>${escapeHtml(doubt)}</b>`;
  const facts = `${escapeHtml(findingFacts(finding, labels).join(' · '))}${warned}`;
  if (level === 'brief')
    return `<p dir="auto" style="${inline.brief}"><b>${title}</b> <span class="m">${facts}</span></p>`;
  const message = escapeHtml(shown(finding.message.trim(), level === 'full' ? FULL_CHARS : SHORT_CHARS));
  const parts = [
    `<h4 dir="auto" style="${inline.entry}">${title}</h4>`,
    `<p class="m" style="${inline.facts}">${facts}</p>`,
    `<p dir="auto" style="${inline.text}">${message}</p>`,
  ];
  if (level === 'full' && finding.excerpt !== undefined) parts.push(excerptHtml(finding.excerpt));
  if (level === 'full' && finding.suggestion !== undefined && finding.suggestion.trim() !== '') {
    const suggestion = escapeHtml(shown(finding.suggestion.trimEnd(), FULL_CHARS));
    parts.push(`<p class="m" style="${inline.label}">${escapeHtml(labels.suggestion)}</p>`);
    parts.push(`<div dir="auto" class="x" style="${inline.box}">${suggestion}</div>`);
  }
  if (level === 'full' && finding.hideUrl !== undefined) {
    const href = escapeHtml(new URL(finding.hideUrl).href);
    const link = `<a class="a" href="${href}" style="${inline.button};font-weight:normal">${escapeHtml(labels.hideFinding)}</a>`;
    parts.push(`<p class="m" style="${inline.facts}">${link}</p>`);
  }
  return parts.join('');
}

function fileHeading(file: string | null, labels: ReviewMailLabels): string {
  return `<h3 dir="ltr" class="p" style="${inline.path}">${escapeHtml(nameFile(file, labels, 400))}</h3>`;
}

function groupHeading({ severity, count }: SeverityGroup, labels: ReviewMailLabels): string {
  const word = escapeHtml(`${labels[severity]} (${count})`);
  const style = `${badge(severity, '0')};text-transform:capitalize`;
  return `<h2 class="ln" style="${inline.group}"><span class="${severity}" style="${style}">${word}</span></h2>`;
}

const remark = (labels: ReviewMailLabels): string =>
  `<p class="m" style="${inline.meta}">${escapeHtml(labels.shortened)}</p>`;

const dropNote = (dropped: number, labels: ReviewMailLabels): string =>
  `<p class="t" style="${inline.h2}">${escapeHtml(fill(labels.moreFindings, { n: dropped }))}</p>`;

/** The findings section, within `budgetBytes` whatever their number; empty where there are none. */
export function renderFindings(input: ReviewMailInput, budgetBytes: number): string {
  const labels = labelsOf(input);
  const total = input.result.findings.length;
  if (total === 0) return '';
  const blocks = groupFindings(input.result.findings).map((group) => ({
    heading: groupHeading(group, labels),
    files: group.files.map(({ file, findings }): FindingBlock => ({ heading: fileHeading(file, labels), findings })),
  }));
  const notes = Buffer.byteLength(remark(labels) + dropNote(total, labels)) + 2;
  const plan = planLevels(blocks, {
    budgetBytes: budgetBytes - notes,
    most: input.fullFindings ?? total,
    render: (finding, level) => renderFinding(finding, level, labels),
  });
  const html = blocks.flatMap(({ heading, files }) => {
    const shownFiles = files.flatMap((file) => {
      const entries = file.findings.flatMap((finding) => plan.chosen.get(finding) ?? []);
      return entries.length === 0 ? [] : [file.heading, ...entries];
    });
    return shownFiles.length === 0 ? [] : [heading, ...shownFiles];
  });
  return [
    ...(plan.shortened ? [remark(labels)] : []),
    ...html,
    ...(plan.chosen.size < total ? [dropNote(total - plan.chosen.size, labels)] : []),
  ].join('\n');
}
