import { arrangeSections } from '../arrange-sections.js';
import type { StepBudget } from '../scan/step-budget.js';
import type { Declaration, Outline, Section } from '../section.js';
import { type KeywordLanguage, readWords, type Word } from './keyword-words.js';

type OpenSection = { -readonly [K in keyof Section]: Section[K] };

interface Block {
  readonly section: OpenSection | undefined;
  readonly named: OpenSection | undefined;
  readonly column: number;
}

interface Reading {
  readonly words: readonly Word[];
  readonly language: KeywordLanguage;
  readonly recovers: boolean;
  readonly budget: StepBudget;
  readonly blocks: Block[];
  readonly sections: OpenSection[];
  readonly declarations: Declaration[];
  balanced: boolean;
}

/** Reads Lua and CMake by pairs of keywords; where they do not pair, again with columns. */
export function outlineKeywords(text: string, language: KeywordLanguage, budget: StepBudget): Outline {
  const { words, lineCount, closed } = readWords(text, language, budget);
  const plain = readPairs({ ...{ words, language, budget }, ...emptyReading(false) }, lineCount);
  const balanced = plain.balanced && closed;
  const kept = balanced ? plain : readPairs({ ...{ words, language, budget }, ...emptyReading(true) }, lineCount);
  const sections = arrangeSections(kept.sections, lineCount);
  return { language, method: 'keywords', balanced, sections, declarations: kept.declarations };
}

function emptyReading(recovers: boolean): Omit<Reading, 'words' | 'language' | 'budget'> {
  return { recovers, blocks: [], sections: [], declarations: [], balanced: true };
}

function readPairs(reading: Reading, lineCount: number): Reading {
  const step = reading.language === 'lua' ? readLuaWord : readCmakeWord;
  reading.words.forEach((word, at) => {
    reading.budget.spend(1);
    step(reading, word, at);
  });
  if (reading.blocks.length > 0) reading.balanced = false;
  for (const { section } of reading.blocks) if (section !== undefined) section.endLine = lineCount;
  return reading;
}

function readLuaWord(reading: Reading, word: Word, at: number): void {
  if (word.text === 'function') openLuaFunction(reading, word, at);
  else if (word.text === 'if' || word.text === 'do' || word.text === 'repeat') open(reading, word, undefined);
  else if (word.text === 'end' || word.text === 'until') close(reading, word);
  else if (word.text === '=' && !insideFunction(reading)) declareLua(reading, at);
}

function openLuaFunction(reading: Reading, word: Word, at: number): void {
  const { words } = reading;
  const first = words[at - 1]?.text === 'local' ? (words[at - 1] ?? word) : word;
  const own = readName(words, at + 1);
  const target = own.length === 0 && words[at - 1]?.text === '=' ? assignedNames(words, at - 2) : undefined;
  if (target !== undefined) {
    const start = words[target.from] ?? word;
    open(reading, start, { names: target.names, line: start.line });
  } else open(reading, first, own.length === 0 ? undefined : { names: own, line: words[at + 1]?.line ?? word.line });
}

/** `a.b:c` from word `at` on. */
function readName(words: readonly Word[], at: number): readonly string[] {
  const names: string[] = [];
  for (let next = at; next < at + 32; next += 2) {
    const text = words[next]?.text ?? '';
    if (!/^\w/.test(text)) break;
    names.push(text);
    const joint = words[next + 1]?.text;
    if (joint !== '.' && joint !== ':') break;
  }
  return names;
}

/** The name that ends at word `at`, read backwards. */
function assignedNames(words: readonly Word[], at: number): { names: readonly string[]; from: number } | undefined {
  const names: string[] = [];
  let from = at;
  for (let next = at; next > at - 32; next -= 2) {
    const text = words[next]?.text ?? '';
    if (!/^[A-Za-z_]/.test(text)) break;
    names.unshift(text);
    from = next;
    if (words[next - 1]?.text !== '.') break;
  }
  return names.length === 0 ? undefined : { names, from };
}

function declareLua({ words, declarations }: Reading, at: number): void {
  const target = assignedNames(words, at - 1);
  const line = words[at - 1]?.line ?? 1;
  const name = target?.names.at(-1);
  if (name !== undefined && words[at + 1]?.text !== 'function') {
    declarations.push({ kind: 'value', name, startLine: line, endLine: line });
  }
}

/** Commands whose first word is a name that other lists use. */
const declaresInCmake: ReadonlySet<string> = new Set([
  'set',
  'option',
  'add_library',
  'add_executable',
  'add_custom_target',
]);

function readCmakeWord(reading: Reading, word: Word, at: number): void {
  if (!word.isCommand) return;
  const command = word.text.toLowerCase();
  const name = reading.words[at + 2];
  if (command === 'function' || command === 'macro') {
    open(reading, word, name === undefined ? undefined : { names: [name.text], line: name.line });
  } else if (command === 'endfunction' || command === 'endmacro') close(reading, word);
  else if (declaresInCmake.has(command) && name !== undefined && !insideFunction(reading)) {
    reading.declarations.push({ kind: 'value', name: name.text, startLine: word.line, endLine: word.line });
  }
}

function insideFunction({ blocks }: Reading): boolean {
  return blocks.at(-1)?.named !== undefined;
}

function open(reading: Reading, word: Word, name: { names: readonly string[]; line: number } | undefined): void {
  const { blocks, sections } = reading;
  if (name !== undefined && reading.recovers && word.isFirst) leaveByHead(reading, word);
  const holder = blocks.at(-1)?.named;
  if (name === undefined) {
    blocks.push({ section: undefined, named: holder, column: word.column });
    return;
  }
  const outer = holder === undefined ? [] : [...holder.outer.slice(-15), holder.name];
  const section: OpenSection = {
    ...{ kind: 'function', name: name.names.at(-1) ?? '', outer: [...outer, ...name.names.slice(0, -1)] },
    ...{ startLine: word.line, nameLine: name.line, bodyLine: name.line, endLine: name.line },
  };
  sections.push(section);
  blocks.push({ section, named: section, column: word.column });
}

/** A function that begins at or left of the open one's column proves that one closed. */
function leaveByHead({ blocks, words, budget }: Reading, word: Word): void {
  const last = blocks.findIndex(({ section, column }) => section !== undefined && column >= word.column);
  budget.spend(blocks.length);
  if (last < 0) return;
  const before = lastWordBefore(words, word);
  for (const { section } of blocks.splice(last)) if (section !== undefined) section.endLine = before;
}

function lastWordBefore(words: readonly Word[], word: Word): number {
  return words[word.index - 1]?.line ?? word.line;
}

function close(reading: Reading, word: Word): void {
  const { blocks } = reading;
  if (reading.recovers && word.isFirst && (blocks.at(-1)?.column ?? 0) > word.column) leaveToColumn(reading, word);
  const block = blocks.pop();
  if (block === undefined) reading.balanced = false;
  else if (block.section !== undefined) block.section.endLine = word.line;
}

/** An `end` at the column of an outer block closes what is open inside that block. */
function leaveToColumn({ blocks, words, budget }: Reading, word: Word): void {
  const from = Math.max(0, blocks.length - 48);
  budget.spend(blocks.length - from);
  for (let at = blocks.length - 2; at >= from; at -= 1) {
    const column = blocks[at]?.column ?? 0;
    if (column < word.column) return;
    if (column > word.column) continue;
    const before = lastWordBefore(words, word);
    for (const { section } of blocks.splice(at + 1)) if (section !== undefined) section.endLine = before;
    return;
  }
}
