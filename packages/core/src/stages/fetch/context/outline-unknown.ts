import { outline } from '../../../outline/outline.js';
import type { Declaration, Outline, Section } from '../../../outline/section.js';

/** A word that most languages put before a name, after up to four others: `pub fn push`, `override fun elapsed`. */
const functionHead =
  /^\s*(?:[\p{L}@()]{1,20}\s+){0,4}?(?:fun|func|fn|def|sub|proc|function)\s+(?:self\.)?([\p{L}_][\p{L}\p{N}_]*)/u;
const typeHead =
  /^\s*(?:[\p{L}@()]{1,20}\s+){0,4}?(?:class|module|struct|trait|protocol|object|enum|interface|extension|impl)\s+([\p{L}_][\p{L}\p{N}_]*)/u;
const valueHead =
  /^\s*(?:(?:pub|public|private|export|static|final)\s+){0,3}(?:(?:const|let|val|var|mut|export|readonly)\s+){0,3}([\p{L}_][\p{L}\p{N}_]*)\s*(?::[^:=]{0,80})?=(?![=>~])/u;
/** What closes a block at the column of its head; what opens one there. */
const closer = /^\s*(?:[}\])]|end\b)/;
const opener = /^\s*\{/;
const maxColumns = 400;

type OpenSection = { -readonly [K in keyof Section]: Section[K] };

/** Sections that are open, with the columns of their heads, the innermost last. */
type OpenSections = { section: OpenSection; column: number }[];

/** Closes what a line at this column proves to have ended; a closer is the last line of what it closes. */
function closeSections(
  open: OpenSections,
  line: string,
  at: { line: number; lastFilled: number; column: number },
): void {
  for (let last = open.at(-1); last !== undefined && last.column >= at.column; last = open.at(-1)) {
    const { section, column } = last;
    if (column === at.column && opener.test(line) && section.startLine === at.lastFilled) return;
    const isOwn = column === at.column && closer.test(line);
    section.endLine = isOwn ? at.line : Math.max(section.startLine, at.lastFilled);
    open.pop();
    if (isOwn) return;
  }
}

/**
 * The outline of a text in a language that has none: functions and types by the word before their
 * name and by columns, values by `=`, else what the reading as C++ gives. Undefined for a text that
 * is too long for it.
 */
export function outlineUnknown(text: string): Outline | undefined {
  const known = outline(text, 'cpp');
  if (known === undefined) return undefined;
  const sections: OpenSection[] = [];
  const declarations: Declaration[] = [...known.declarations];
  const open: OpenSections = [];
  let lastFilled = 1;
  for (const [at, whole] of text.split('\n').entries()) {
    const line = whole.slice(0, maxColumns);
    const column = line.search(/\S/);
    if (column < 0) continue;
    const place = { startLine: at + 1, nameLine: at + 1, bodyLine: at + 1, endLine: at + 1 };
    closeSections(open, line, { line: at + 1, lastFilled, column });
    lastFilled = at + 1;
    const holder = open.at(-1)?.section;
    const value = holder?.kind === 'function' ? undefined : valueHead.exec(line)?.[1];
    if (value !== undefined) declarations.push({ kind: 'value', name: value, startLine: at + 1, endLine: at + 1 });
    const [own, type] = [functionHead.exec(line)?.[1], typeHead.exec(line)?.[1]];
    const name = own ?? type;
    if (name === undefined) continue;
    const outer = holder === undefined ? [] : [...holder.outer.slice(-4), holder.name];
    const section: OpenSection = { kind: own === undefined ? 'type' : 'function', name, outer, ...place };
    sections.push(section);
    open.push({ section, column });
  }
  for (const { section } of open) section.endLine = lastFilled;
  return { ...known, sections: sections.length === 0 ? known.sections : sections, declarations };
}
