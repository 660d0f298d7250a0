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

/**
 * `enclosing` of each single line up to `lastLine`, in near linear time: for texts of which many
 * lines are looked up.
 */
export function innermostByLine({ sections }: Outline, lastLine: number): (line: number) => Section | undefined {
  const found: (Section | undefined)[] = [];
  /** The next line from here that has no section yet, by steps that are shortened as they are taken. */
  const next = Array.from({ length: lastLine + 2 }, (_, line) => line);
  const free = (from: number): number => {
    let line = from;
    while ((next[line] ?? line) !== line) {
      next[line] = next[next[line] ?? line] ?? lastLine + 1;
      line = next[line] ?? lastLine + 1;
    }
    return line;
  };
  const innerFirst = [...sections].reverse().sort((a, b) => b.startLine - a.startLine || a.endLine - b.endLine);
  for (const section of innerFirst) {
    const end = Math.min(section.endLine, lastLine);
    for (let line = free(Math.min(section.startLine, lastLine + 1)); line <= end; line = free(line)) {
      found[line] = section;
      next[line] = line + 1;
    }
  }
  return (line) => found[line];
}

/** A section's name with what holds it, for a reader: `GameServer::Tick`, `Player.update`, `server.port`. */
export function headingOf({ name, outer }: Section): string {
  return [...outer.slice(-4), name].join('.');
}
