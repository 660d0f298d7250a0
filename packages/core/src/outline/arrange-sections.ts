import type { Section } from './section.js';

type Unsettled = { -readonly [K in keyof Section]: Section[K] };

/**
 * Sorts sections by their first line, drops those without a name, holds every line within the text,
 * and cuts what reaches out of its holder, so that sections are nested or disjoint.
 */
export function arrangeSections(found: readonly Unsettled[], lineCount: number): readonly Section[] {
  const sections = found.filter(({ name }) => name !== '').map((section) => holdInText(section, lineCount));
  sections.sort((one, other) => one.startLine - other.startLine || other.endLine - one.endLine);
  const open: Unsettled[] = [];
  for (const section of sections) {
    while ((open.at(-1)?.endLine ?? Number.POSITIVE_INFINITY) <= section.startLine && open.length > 0) {
      // Two on one line share it; one that ends on the line where the next begins holds it no longer.
      if (open.at(-1)?.endLine === section.startLine && section.endLine === section.startLine) break;
      open.pop();
    }
    const holder = open.at(-1);
    if (holder !== undefined && section.endLine > holder.endLine) {
      section.endLine = Math.max(section.bodyLine, holder.endLine);
      holder.endLine = Math.max(holder.endLine, section.endLine);
    }
    open.push(section);
  }
  return sections;
}

function holdInText(section: Unsettled, lineCount: number): Unsettled {
  const hold = (line: number, least: number) => Math.max(least, Math.min(line, lineCount));
  const startLine = hold(section.startLine, 1);
  const bodyLine = hold(section.bodyLine, startLine);
  const endLine = hold(section.endLine, bodyLine);
  return { ...section, startLine, bodyLine, endLine, nameLine: Math.min(endLine, hold(section.nameLine, startLine)) };
}
