import { arrangeSections } from '../arrange-sections.js';
import type { StepBudget } from '../scan/step-budget.js';
import type { Declaration, Outline, Section } from '../section.js';

type OpenSection = { -readonly [K in keyof Section]: Section[K] };

interface Reading {
  readonly text: string;
  readonly budget: StepBudget;
  readonly open: OpenSection[];
  readonly sections: OpenSection[];
  readonly declarations: Declaration[];
  readonly absent: Set<string>;
  position: number;
  line: number;
  balanced: boolean;
}

/** How many open elements a closing tag is looked for in. */
const maxLook = 64;
const naming = /\s(?:x:)?(?:id|name|key|include|class)\s{0,8}=\s{0,8}(?:"([^"]{1,100})"|'([^']{1,100})')/i;

/** Reads XML by a stack of tags. An element of more than one line is a section, named by its tag. */
export function outlineTags(text: string, budget: StepBudget): Outline {
  const reading: Reading = {
    ...{ text, budget, open: [], sections: [], declarations: [], absent: new Set<string>() },
    ...{ position: 0, line: 1, balanced: true },
  };
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', reading.position)) {
    moveTo(reading, at);
    readMarkup(reading);
  }
  moveTo(reading, text.length);
  const lineCount = text.endsWith('\n') ? Math.max(1, reading.line - 1) : reading.line;
  if (reading.open.length > 0) reading.balanced = false;
  for (const section of reading.open) section.endLine = lineCount;
  const many = reading.sections.filter(({ startLine, endLine }) => endLine > startLine);
  const { balanced, declarations } = reading;
  return { language: 'xml', method: 'tags', balanced, sections: arrangeSections(many, lineCount), declarations };
}

function moveTo(reading: Reading, end: number): void {
  const { text, position } = reading;
  reading.budget.spend(end - position + 1);
  for (let at = position; at < end; at += 1) if (text.charCodeAt(at) === 10) reading.line += 1;
  reading.position = end;
}

function readMarkup(reading: Reading): void {
  const { text, position } = reading;
  if (text.startsWith('<!--', position)) moveTo(reading, findAfter(reading, '-->', position + 4));
  else if (text.startsWith('<![CDATA[', position)) moveTo(reading, findAfter(reading, ']]>', position + 9));
  else if (text.startsWith('<?', position)) moveTo(reading, findAfter(reading, '?>', position + 2));
  else if (text.startsWith('<!', position)) moveTo(reading, findDeclarationEnd(reading));
  else if (text.startsWith('</', position)) closeTag(reading);
  else openTag(reading);
}

/** The index after the terminator; without one, after the mark that was read. */
function findAfter(reading: Reading, terminator: string, from: number): number {
  const at = reading.absent.has(terminator) ? -1 : reading.text.indexOf(terminator, from);
  if (at >= 0) return at + terminator.length;
  reading.absent.add(terminator);
  reading.balanced = false;
  return Math.min(from, reading.text.length);
}

/** `<!DOCTYPE a [ … ]>` */
function findDeclarationEnd(reading: Reading): number {
  const { text, position } = reading;
  const simple = findAfter(reading, '>', position + 2);
  const hasSubset = text.slice(position, Math.min(simple, position + 400)).includes('[');
  return hasSubset ? findAfter(reading, ']>', position + 2) : simple;
}

function closeTag(reading: Reading): void {
  const { text, position, open, budget } = reading;
  const name = readTagName(text, position + 2);
  moveTo(reading, findAfter(reading, '>', position + 2));
  const from = Math.max(0, open.length - maxLook);
  for (let at = open.length - 1; at >= from; at -= 1) {
    budget.spend(1);
    if (open[at]?.name !== name) continue;
    if (at < open.length - 1) reading.balanced = false;
    for (const section of open.splice(at)) section.endLine = reading.line;
    return;
  }
  reading.balanced = false;
}

function readTagName(text: string, from: number): string {
  return /^[^\s<>/="']{0,100}/.exec(text.slice(from, from + 100))?.[0] ?? '';
}

function openTag(reading: Reading): void {
  const { text, position, open, line } = reading;
  const name = readTagName(text, position + 1);
  if (!/^[A-Za-z_\u0080-\uffff]/.test(name)) {
    moveTo(reading, position + 1);
    return;
  }
  const end = findTagEnd(reading, position + 1 + name.length);
  const tag = text.slice(position, Math.min(end, position + 2000));
  moveTo(reading, end);
  const [, double, single] = naming.exec(tag) ?? [];
  const key = double ?? single;
  if (key !== undefined) reading.declarations.push({ kind: 'key', name: key, startLine: line, endLine: reading.line });
  const holder = open.at(-1);
  const outer = holder === undefined ? [] : [...holder.outer.slice(-15), holder.name];
  const section: OpenSection = {
    ...{ kind: 'key', name, outer, startLine: line, nameLine: line, bodyLine: reading.line, endLine: reading.line },
  };
  reading.sections.push(section);
  if (text.charCodeAt(end - 2) !== 47) open.push(section);
}

/** The index after the `>` outside quotes; a tag without one ends before the next `<`. */
function findTagEnd(reading: Reading, from: number): number {
  const { text } = reading;
  for (let at = from; at < text.length; at += 1) {
    const of = text.charCodeAt(at);
    if (of === 62) return at + 1;
    if (of === 60) break;
    if (of !== 34 && of !== 39) continue;
    const quote = String.fromCharCode(of);
    const close = reading.absent.has(quote) ? -1 : text.indexOf(quote, at + 1);
    if (close >= 0) at = close;
    else reading.absent.add(quote);
  }
  reading.balanced = false;
  const next = text.indexOf('<', from);
  return next < 0 ? text.length : next;
}
