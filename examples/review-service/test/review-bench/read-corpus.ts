// Reads the sources and the planted defects of corpus/*.txt. README.md describes the format.
import { readFileSync } from 'node:fs';
import type { DefectKind } from './defect-kinds.js';
import { kindWords } from './defect-kinds.js';

/** The languages of the corpus; each is a file of it. */
export const languages = ['c', 'cpp', 'csharp', 'java', 'python', 'typescript', 'lua', 'go'] as const;
export type CorpusLanguage = (typeof languages)[number];

/** A piece of a source file: lines as they are, or a place for generated functions. */
export type SourcePart = { lines: readonly string[] } | { padding: string };

export interface SourceFile {
  path: string;
  parts: readonly SourcePart[];
}

/** A line of the new side of an edit. */
export interface EditedLine {
  text: string;
  /** The defect shows at this line. */
  isDefect: boolean;
}

/** Replaces `before`, which the file has exactly once, by `after`. */
export interface SourceEdit {
  path: string;
  before: readonly string[];
  after: readonly EditedLine[];
}

/** A mistake that a change can bring into a project. */
export interface PlantedDefect {
  kind: DefectKind;
  /** Its evidence is in a file that the change does not touch. */
  isCrossFile: boolean;
  /** What goes wrong. */
  why: string;
  edits: readonly SourceEdit[];
  /** Lines that a reader must have seen, beside the edit, to know that it is wrong; trimmed. */
  evidence: readonly { path: string; text: string }[];
}

/** A few files that belong together, and the defects that fit them. */
export interface Project {
  language: CorpusLanguage;
  name: string;
  files: readonly SourceFile[];
  defects: readonly PlantedDefect[];
}

const readText = (name: string): string => readFileSync(new URL(`corpus/${name}.txt`, import.meta.url), 'utf8');

/** `@@ name rest` and the lines below it. */
interface Block {
  name: string;
  rest: string;
  lines: readonly string[];
}

function splitBlocks(text: string): readonly Block[] {
  const blocks: { name: string; rest: string; lines: string[] }[] = [];
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const head = /^@@ ([a-z-]+) ?(.*)$/.exec(line);
    if (head !== null) blocks.push({ name: head[1] ?? '', rest: head[2] ?? '', lines: [] });
    else blocks.at(-1)?.lines.push(line);
  }
  return blocks;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The text with one word for another, in lower case, with a capital, and in capitals. */
function replaceWord(text: string, from: string, to: string): string {
  return [(word: string) => word, capital, (word: string) => word.toUpperCase()].reduce(
    (so, form) => so.replaceAll(form(from), form(to)),
    text,
  );
}

function readEdit(path: string, lines: readonly string[]): SourceEdit {
  // An editor may strip the blank of an empty context line.
  const marked = lines.map((line) => ({ mark: line.charAt(0) || ' ', text: line.slice(1) }));
  return {
    path,
    before: marked.filter(({ mark }) => mark === ' ' || mark === '-').map(({ text }) => text),
    after: marked.filter(({ mark }) => mark !== '-').map(({ mark, text }) => ({ text, isDefect: mark === '!' })),
  };
}

function readDefect(head: string): { -readonly [K in keyof PlantedDefect]: PlantedDefect[K] } {
  const [, kind = '', cross, why = ''] = /^([a-z-]+)( cross)?: (.*)$/.exec(head) ?? [];
  if (!Object.hasOwn(kindWords, kind)) throw new Error(`the corpus has no kind of defect ${JSON.stringify(kind)}`);
  return { kind: kind as DefectKind, isCrossFile: cross !== undefined, why, edits: [], evidence: [] };
}

function readProject(language: CorpusLanguage, text: string): Project {
  const files: { path: string; parts: SourcePart[] }[] = [];
  const defects: ReturnType<typeof readDefect>[] = [];
  let name = '';
  for (const block of splitBlocks(text)) {
    const defect = defects.at(-1);
    if (block.name === 'project') name = block.rest;
    else if (block.name === 'file') files.push({ path: block.rest, parts: [{ lines: block.lines }] });
    else if (block.name.startsWith('pad'))
      files.at(-1)?.parts.push({ padding: block.name.slice('pad-'.length) || language }, { lines: block.lines });
    else if (block.name === 'defect') defects.push(readDefect(block.rest));
    else if (block.name === 'edit' && defect !== undefined)
      defect.edits = [...defect.edits, readEdit(block.rest, block.lines)];
    else if (block.name === 'see' && defect !== undefined) {
      const [path = '', ...rest] = block.rest.split(': ');
      defect.evidence = [...defect.evidence, { path, text: rest.join(': ').trim() }];
    }
  }
  return { language, name, files, defects };
}

/** A project before a word is chosen: changes made from it differ in their names. */
export interface ProjectTemplate {
  language: CorpusLanguage;
  /** Words of which each makes another project of it. */
  words: readonly string[];
  /** Number of its defects. */
  defects: number;
  /** The project with this word. */
  read(word: string): Project;
}

function openTemplate(language: CorpusLanguage, text: string): ProjectTemplate {
  const [, list = ''] = /^@@ vary (.*)$/m.exec(text) ?? [];
  const words = list.split(' ');
  const [own = ''] = words;
  const read = (word: string): Project => readProject(language, replaceWord(text, own, word));
  return { language, words, defects: read(own).defects.length, read };
}

/** Every project of the corpus. */
export function openCorpus(): readonly ProjectTemplate[] {
  return languages.flatMap((language) =>
    readText(language)
      .split(/^(?=@@ project )/m)
      .filter((text) => text !== '')
      .map((text) => openTemplate(language, text)),
  );
}

/** Functions that fill files, by the places that they fit. Names and numbers are still open. */
export function readFillers(): Readonly<Record<string, readonly string[]>> {
  const fillers: Record<string, string[]> = {};
  for (const { rest, lines } of splitBlocks(readText('fillers'))) {
    fillers[rest] = [...(fillers[rest] ?? []), lines.join('\n')];
  }
  return fillers;
}
