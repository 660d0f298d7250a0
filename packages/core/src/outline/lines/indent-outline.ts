import { arrangeSections } from '../arrange-sections.js';
import type { StepBudget } from '../scan/step-budget.js';
import type { Declaration, Outline, Section } from '../section.js';
import { type LogicalLine, readLogicalLines } from './logical-lines.js';

type OpenSection = { -readonly [K in keyof Section]: Section[K] } & { readonly column: number };

const header = /^(?:async[ \t]+)?(def|class)[ \t]+([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]{0,199})/;
const value = /^([A-Za-z_]\w{0,199})[ \t]*(?::[^=]{1,200})?=(?!=)/;

/** Reads Python by indentation: a `def` or `class` holds the logical lines that are indented more. */
export function outlineIndent(text: string, budget: StepBudget): Outline {
  const { lines, lineCount, balanced } = readLogicalLines(text, budget);
  const open: OpenSection[] = [];
  const sections: OpenSection[] = [];
  const declarations: Declaration[] = [];
  let decorators: LogicalLine | undefined;
  for (const line of lines) {
    budget.spend(1);
    while (open.length > 0 && (open.at(-1)?.column ?? 0) >= line.column) open.pop();
    for (const holder of open) holder.endLine = line.endLine;
    budget.spend(open.length);
    if (line.text.startsWith('@')) {
      decorators ??= line;
      continue;
    }
    const [, word, name] = header.exec(line.text) ?? [];
    if (name !== undefined) {
      const section = openSection(line, name, word === 'def' ? 'function' : 'type', open.at(-1), decorators);
      sections.push(section);
      open.push(section);
    } else if (open.at(-1)?.kind !== 'function') {
      const declared = value.exec(line.text)?.[1];
      if (declared !== undefined) declarations.push(declareValue(line, declared));
    }
    decorators = undefined;
  }
  const arranged = arrangeSections(
    sections.map(({ column: _column, ...section }) => section),
    lineCount,
  );
  return { language: 'python', method: 'indent', balanced, sections: arranged, declarations };
}

function openSection(
  line: LogicalLine,
  name: string,
  kind: 'function' | 'type',
  holder: OpenSection | undefined,
  decorators: LogicalLine | undefined,
): OpenSection {
  const outer = holder === undefined ? [] : [...holder.outer.slice(-15), holder.name];
  const startLine = decorators?.startLine ?? line.startLine;
  const { startLine: nameLine, endLine, column } = line;
  return { kind, name, outer, startLine, nameLine, bodyLine: endLine, endLine, column };
}

function declareValue({ startLine, endLine }: LogicalLine, name: string): Declaration {
  return { kind: 'value', name, startLine, endLine };
}
