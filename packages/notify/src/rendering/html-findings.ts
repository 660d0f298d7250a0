import type { ReviewMailFinding } from '@criticizer/core/ports';
import { badge, inline } from './html-style.js';
import { fill, labelsOf, type ReviewMailInput, type ReviewMailLabels } from './review-mail-input.js';
import { describeDoubt, findingFacts, groupFindings } from './review-verdict.js';
import { cut, escapeHtml, visibleLine, visibleText } from './visible-text.js';

/** How much of a finding is shown: title and line; with the start of its message; or all of it. */
const levels = ['brief', 'short', 'full'] as const;
type Level = (typeof levels)[number];

const SHORT_CHARS = 240;
const FULL_CHARS = 6_000;

/** Cut before it is made visible: a hostile text may be megabytes. */
const shown = (text: string, maxChars: number): string => cut(visibleText(cut(text, maxChars)), maxChars);

const bytes = (text: string): number => Buffer.byteLength(text);

const pathOf = (file: string): string => escapeHtml(visibleLine(file, 400));

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
  if (level === 'full' && finding.suggestion !== undefined && finding.suggestion.trim() !== '') {
    const suggestion = escapeHtml(shown(finding.suggestion.trimEnd(), FULL_CHARS));
    parts.push(`<p class="m" style="${inline.label}">${escapeHtml(labels.suggestion)}</p>`);
    parts.push(`<div dir="auto" class="x" style="${inline.box}">${suggestion}</div>`);
  }
  return parts.join('');
}

interface Plan {
  levels: ReadonlyMap<ReviewMailFinding, Level>;
  dropped: number;
  shortened: boolean;
}

/**
 * Worst first: each finding gets the richest form the budget still holds; where not even the
 * briefest fits, it is counted. Beyond the first `most` each has its briefest form.
 */
function planLevels(
  ordered: readonly ReviewMailFinding[],
  budgetBytes: number,
  most: number,
  labels: ReviewMailLabels,
): Plan {
  const chosen = new Map<ReviewMailFinding, Level>();
  const sizes = new Map<ReviewMailFinding, number>();
  let left = budgetBytes;
  for (const finding of ordered) {
    // Its file's line is counted with every finding, which errs on the safe side.
    const size = bytes(renderFinding(finding, 'brief', labels)) + bytes(pathOf(finding.file));
    if (size > left) break;
    left -= size;
    chosen.set(finding, 'brief');
    sizes.set(finding, size);
  }
  for (const level of ['short', 'full'] as const) {
    for (const finding of ordered.slice(0, most)) {
      const before = sizes.get(finding);
      if (before === undefined) continue;
      const size = bytes(renderFinding(finding, level, labels)) + bytes(pathOf(finding.file));
      if (size - before > left) continue;
      left -= size - before;
      chosen.set(finding, level);
      sizes.set(finding, size);
    }
  }
  const shortened = ordered.slice(0, most).some((finding) => chosen.get(finding) !== 'full');
  return { levels: chosen, dropped: ordered.length - chosen.size, shortened };
}

const FILE_OVERHEAD_BYTES = inline.path.length + 60;
const GROUP_OVERHEAD_BYTES = 500;

/** The findings section, within `budgetBytes` whatever their number; empty where there are none. */
export function renderFindings(input: ReviewMailInput, budgetBytes: number): string {
  const labels = labelsOf(input);
  const groups = groupFindings(input.result.findings);
  const ordered = groups.flatMap((group) => group.files.flatMap((file) => file.findings));
  if (ordered.length === 0) return '';
  const fileCount = groups.reduce((sum, group) => sum + group.files.length, 0);
  const overhead = fileCount * FILE_OVERHEAD_BYTES + groups.length * GROUP_OVERHEAD_BYTES + 1_000;
  const plan = planLevels(ordered, Math.max(0, budgetBytes - overhead), input.fullFindings ?? ordered.length, labels);
  const html = groups.map((group) => {
    const files = group.files.map(({ file, findings }) => {
      const entries = findings.flatMap((finding) => {
        const level = plan.levels.get(finding);
        return level === undefined ? [] : [renderFinding(finding, level, labels)];
      });
      if (entries.length === 0) return '';
      return `<h3 dir="ltr" class="p" style="${inline.path}">${pathOf(file)}</h3>\n${entries.join('\n')}`;
    });
    if (files.every((file) => file === '')) return '';
    const word = escapeHtml(`${labels[group.severity]} (${group.count})`);
    const style = `${badge(group.severity, '0')};text-transform:capitalize`;
    return `<h2 class="ln" style="${inline.group}"><span class="${group.severity}" style="${style}">${word}</span></h2>\n${files.join('\n')}`;
  });
  const rest =
    plan.dropped > 0
      ? `<p class="t" style="${inline.h2}">${escapeHtml(fill(labels.moreFindings, { n: plan.dropped }))}</p>`
      : '';
  const remark = plan.shortened ? `<p class="m" style="${inline.meta}">${escapeHtml(labels.shortened)}</p>` : '';
  return [remark, ...html, rest].filter((part) => part !== '').join('\n');
}
