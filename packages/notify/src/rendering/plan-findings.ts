import type { ReviewMailFinding } from '@criticizer/core/ports';

/** How much of a finding is shown: title and line; with the start of its message; or all of it. */
export type Level = 'brief' | 'short' | 'full';

/** The findings of one file under one severity, and the line above them. */
export interface FindingBlock {
  heading: string;
  findings: readonly ReviewMailFinding[];
}

export interface PlanOptions {
  /** For everything that is joined: entries, headings and the line break after each. */
  budgetBytes: number;
  /** How many findings, the first ones, may be more than brief. */
  most: number;
  render(finding: ReviewMailFinding, level: Level): string;
}

/**
 * Share of the budget that names findings before the first one is shown in full, so that a mail
 * of many findings is neither a list of titles nor a few essays.
 */
const BRIEF_SHARE = 0.5;

/** Share of the budget that one finding may take before the others had their turn. */
const ONE_SHARE = 0.25;

const sizeOf = (html: string): number => Buffer.byteLength(html) + 1;

/**
 * The HTML of each finding that fits, worst first: half of the budget for brief forms, then as many
 * in full as fit, none of them over a quarter, then brief forms of those left out. What is left goes
 * to findings too long before, in full or with the start of their message. No finding has room that
 * a graver one of its size lacks.
 */
export function planLevels(
  groups: readonly { heading: string; files: readonly FindingBlock[] }[],
  { budgetBytes, most, render }: PlanOptions,
): { chosen: ReadonlyMap<ReviewMailFinding, string>; shortened: boolean } {
  const ordered = groups.flatMap((group) =>
    group.files.flatMap((file) => file.findings.map((finding) => ({ finding, headings: [group, file] }))),
  );
  const chosen = new Map<ReviewMailFinding, string>();
  const levels = new Map<ReviewMailFinding, Level>();
  const headed = new Set<object>();
  let left = budgetBytes;

  const nameThose = (reserve: number): void => {
    for (const { finding, headings } of ordered) {
      if (chosen.has(finding)) continue;
      const html = render(finding, 'brief');
      const missing = headings.filter((one) => !headed.has(one));
      const size = missing.reduce((sum, { heading }) => sum + sizeOf(heading), sizeOf(html));
      if (size > left - reserve) return;
      left -= size;
      for (const one of missing) headed.add(one);
      chosen.set(finding, html);
      levels.set(finding, 'brief');
    }
  };
  const enrich = (level: 'short' | 'full', maxBytes: number): void => {
    for (const { finding } of ordered.slice(0, most)) {
      const before = chosen.get(finding);
      if (before === undefined || levels.get(finding) === 'full') continue;
      const html = render(finding, level);
      const growth = sizeOf(html) - sizeOf(before);
      if (growth > Math.min(left, maxBytes)) continue;
      left -= growth;
      chosen.set(finding, html);
      levels.set(finding, level);
    }
  };

  nameThose(budgetBytes * (1 - BRIEF_SHARE));
  enrich('full', budgetBytes * ONE_SHARE);
  nameThose(0);
  enrich('full', budgetBytes);
  enrich('short', budgetBytes);
  const shortened = ordered.slice(0, most).some(({ finding }) => levels.get(finding) !== 'full');
  return { chosen, shortened };
}
