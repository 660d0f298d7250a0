import type { Outline, Section } from './section.js';

/** The innermost section that holds both lines; undefined where none does. */
export function enclosing({ sections }: Outline, firstLine: number, lastLine: number): Section | undefined {
  let found: Section | undefined;
  for (const section of sections) {
    if (section.startLine > firstLine) break;
    if (section.endLine < lastLine) continue;
    // Later ones begin later; of two that share a line, the one that ends first is the inner one.
    if (found === undefined || section.startLine > found.startLine || section.endLine <= found.endLine) found = section;
  }
  return found;
}

/** A section's name with what holds it, for a reader: `GameServer::Tick`, `Player.update`, `server.port`. */
export function headingOf({ name, outer }: Section): string {
  return [...outer.slice(-4), name].join('.');
}
