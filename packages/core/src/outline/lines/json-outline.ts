import { arrangeSections } from '../arrange-sections.js';
import type { StepBudget } from '../scan/step-budget.js';
import type { Declaration, Outline, Section } from '../section.js';

type OpenSection = { -readonly [K in keyof Section]: Section[K] };

interface Container {
  readonly section: OpenSection | undefined;
  readonly named: OpenSection | undefined;
}

const piece =
  /"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"?|'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'?|\/\/[^\n]*|\/\*|[{}[\]:,\n]|[\w$.+-]+|[^\S\n]+|[\s\S]/y;

// long: one case for each mark of the grammar, over the same few variables
/** Reads JSON, also with comments: a key with an object or an array is a section, another one a declaration. */
export function outlineJson(text: string, budget: StepBudget): Outline {
  const open: Container[] = [];
  const sections: OpenSection[] = [];
  const declarations: Declaration[] = [];
  let line = 1;
  let balanced = true;
  let last: { text: string; line: number } | undefined;
  let key: { name: string; line: number } | undefined;
  const begin = () => {
    const holder = open.at(-1)?.named;
    if (key === undefined) {
      open.push({ section: undefined, named: holder });
      return;
    }
    const outer = holder === undefined ? [] : [...holder.outer.slice(-15), holder.name];
    const section: OpenSection = {
      ...{ kind: 'key', name: key.name, outer, startLine: key.line, nameLine: key.line, bodyLine: line, endLine: line },
    };
    sections.push(section);
    open.push({ section, named: section });
    key = undefined;
  };
  const end = () => {
    const container = open.pop();
    if (container === undefined) balanced = false;
    else if (container.section !== undefined) container.section.endLine = line;
  };
  const declare = () => {
    if (key !== undefined) declarations.push({ kind: 'key', name: key.name, startLine: key.line, endLine: line });
    key = undefined;
  };
  piece.lastIndex = 0;
  for (let match = piece.exec(text); match !== null; match = piece.exec(text)) {
    const part = match[0];
    budget.spend(part.length);
    if (part === '\n') line += 1;
    else if (part === '{' || part === '[') begin();
    else if (part === '}' || part === ']') {
      declare();
      end();
    } else if (part === ',') declare();
    else if (part === ':') key = last === undefined ? undefined : { name: last.text, line: last.line };
    else if (part === '/*') {
      const close = text.indexOf('*/', piece.lastIndex);
      const to = close < 0 ? text.length : close + 2;
      budget.spend(to - piece.lastIndex);
      line += text.slice(piece.lastIndex, to).split('\n').length - 1;
      piece.lastIndex = to;
    } else if (/^["']/.test(part)) last = { text: part.slice(1, part.length > 1 ? -1 : 1).slice(0, 200), line };
    else if (/^[\w$]/.test(part)) last = { text: part.slice(0, 200), line };
  }
  if (open.length > 0) balanced = false;
  const lineCount = text.endsWith('\n') ? Math.max(1, line - 1) : line;
  for (const { section } of open) if (section !== undefined) section.endLine = lineCount;
  return { language: 'json', method: 'keys', balanced, sections: arrangeSections(sections, lineCount), declarations };
}
