import { arrangeSections } from '../arrange-sections.js';
import type { StepBudget } from '../scan/step-budget.js';
import type { Declaration, Outline, Section } from '../section.js';

type OpenSection = { -readonly [K in keyof Section]: Section[K] } & { readonly column: number };

/** Lines are read up to this column: no pattern meets a longer text. */
const maxColumns = 200;
const yamlKey =
  /^(?:"([^"]{1,120})"|'([^']{1,120})'|([^\s#"'\-?&*!|>%@`[\]{},][^#]{0,120}?|-[^\s#][^#]{0,100}?)) {0,8}:(?:[ \t]|$)/;

/** Reads YAML by indentation: a key whose value takes several lines is a section, another one a declaration. */
export function outlineYaml(text: string, budget: StepBudget): Outline {
  const lines = text.split('\n');
  const open: OpenSection[] = [];
  const sections: OpenSection[] = [];
  let scalar = -1;
  lines.forEach((whole, index) => {
    budget.spend(Math.min(whole.length, maxColumns) + 1);
    const line = whole.slice(0, maxColumns).trimEnd();
    const content = line.trimStart();
    if (content === '') return;
    let column = line.length - content.length;
    if (scalar >= 0 && column > scalar) {
      extend(open, index + 1, budget);
      return;
    }
    scalar = -1;
    if (content.startsWith('#')) return;
    if (column === 0 && /^(?:---|\.\.\.)(?:\s|$)/.test(content)) {
      open.length = 0;
      return;
    }
    const { rest, offset } = stripDashes(content);
    const isItem = offset > 0;
    while (open.length > 0 && isOutside(open.at(-1)?.column ?? 0, column, isItem)) open.pop();
    column += offset;
    extend(open, index + 1, budget);
    const [match, double, single, plain] = yamlKey.exec(rest) ?? [];
    const name = double ?? single ?? plain?.trim();
    if (name === undefined || match === undefined) {
      if (/^[|>][+-]?\d?$/.test(rest)) scalar = column - 1;
      return;
    }
    while (open.length > 0 && (open.at(-1)?.column ?? 0) >= column) open.pop();
    const section = openKey(name, open.at(-1), index + 1, column);
    sections.push(section);
    open.push(section);
    if (/(?:^|[ \t])[|>][+-]?\d?[+-]?(?:[ \t]+#.{0,100})?$/.test(rest.slice(match.length - 1))) scalar = column;
  });
  return toOutline('yaml', sections, lineCountOf(lines, text));
}

/** A key is left by a line at or left of its column; an item of a list may be at its column. */
function isOutside(key: number, column: number, isItem: boolean): boolean {
  return isItem ? key > column : key >= column;
}

/** Steps over the `- ` before an item's first key, at most eight. */
function stripDashes(content: string): { rest: string; offset: number } {
  let offset = 0;
  for (let step = 0; step < 8 && content.charCodeAt(offset) === 45; step += 1) {
    const next = content.charCodeAt(offset + 1);
    if (next !== 32 && !Number.isNaN(next)) break;
    offset += 1;
    while (content.charCodeAt(offset) === 32) offset += 1;
  }
  return { rest: content.slice(offset), offset };
}

function extend(open: readonly OpenSection[], line: number, budget: StepBudget): void {
  budget.spend(open.length);
  for (const section of open) section.endLine = line;
}

function openKey(name: string, holder: OpenSection | undefined, line: number, column: number): OpenSection {
  const outer = holder === undefined ? [] : [...holder.outer.slice(-15), holder.name];
  return { kind: 'key', name, outer, startLine: line, nameLine: line, bodyLine: line, endLine: line, column };
}

/** Reads INI, TOML and properties: `[section]` holds the lines up to the next one. */
export function outlineIni(text: string, budget: StepBudget): Outline {
  const lines = text.split('\n');
  const sections: OpenSection[] = [];
  const keys: Declaration[] = [];
  lines.forEach((whole, index) => {
    budget.spend(Math.min(whole.length, maxColumns) + 1);
    const line = whole.slice(0, maxColumns).trim();
    if (line === '') return;
    const name = /^\[{1,2}([^[\]]{1,150})\]{1,2}/.exec(line)?.[1];
    if (name !== undefined) sections.push(openKey(name.trim(), undefined, index + 1, 0));
    const current = sections.at(-1);
    if (current !== undefined) current.endLine = index + 1;
    const key = name === undefined ? /^[+\-.!]?([\w.$/"' -]{1,120}?) {0,8}[=:]/.exec(line)?.[1] : undefined;
    if (key !== undefined) keys.push({ kind: 'key', name: key.trim(), startLine: index + 1, endLine: index + 1 });
  });
  const { sections: arranged, ...rest } = toOutline('ini', sections, lineCountOf(lines, text), true);
  return { ...rest, sections: arranged, declarations: keys };
}

function lineCountOf(lines: readonly string[], text: string): number {
  return Math.max(1, text.endsWith('\n') ? lines.length - 1 : lines.length);
}

function toOutline(language: 'yaml' | 'ini', found: readonly OpenSection[], lineCount: number, all = false): Outline {
  const isSection = ({ startLine, endLine }: OpenSection) => all || endLine > startLine;
  const sections = found.filter(isSection).map(({ column: _column, ...section }) => section);
  const declarations = found
    .filter((section) => !isSection(section))
    .map(({ name, startLine, endLine }) => ({ kind: 'key' as const, name, startLine, endLine }));
  return { language, method: 'keys', balanced: true, sections: arrangeSections(sections, lineCount), declarations };
}
