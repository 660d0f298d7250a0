import type { Language } from '../language.js';
import type { Declaration, LineRange, Outline, Section } from '../section.js';

/** A file in which definitions are looked for. */
export interface OutlinedFile {
  readonly path: string;
  readonly text: string;
  readonly language: Language;
  readonly outline: Outline;
}

/** Where a name is defined. */
export interface Definition {
  readonly name: string;
  readonly path: string;
  readonly kind: Section['kind'] | Declaration['kind'];
  /** From the first line of the declaration to the line on which its body begins. */
  readonly signature: LineRange;
  /** The whole definition; equal to the signature where it has no body. */
  readonly body: LineRange;
}

/** A name with more definitions than this is ambiguous: none of them is given. */
const maxDefinitions = 3;
/** Lines of a signature: a longer head is cut. */
const maxSignatureLines = 12;

/**
 * Definitions of functions, types and constants by name, in the order of `names`, then of the files.
 * Those with a body come first; mere declarations of the same name are left out where both are too
 * many. A name with more than three definitions gives none, for the one meant is unknown. Reads
 * `files` once. (GRD-3)
 */
export function definitionsOf(names: readonly string[], files: Iterable<OutlinedFile>): readonly Definition[] {
  const whole = new Map(names.map((name): [string, Definition[]] => [name, []]));
  const declared = new Map(names.map((name): [string, Definition[]] => [name, []]));
  for (const { path, outline } of files) {
    for (const section of outline.sections) whole.get(section.name)?.push(fromSection(section, path));
    for (const declaration of outline.declarations) {
      declared.get(declaration.name)?.push(fromDeclaration(declaration, path));
    }
  }
  return [...whole].flatMap(([name, found]) => {
    const all = [...found, ...(declared.get(name) ?? [])];
    const definitions = all.length > maxDefinitions && found.length > 0 ? found : all;
    return definitions.length > maxDefinitions ? [] : definitions;
  });
}

function fromSection({ name, kind, startLine, bodyLine, endLine }: Section, path: string): Definition {
  const signatureEnd = Math.min(bodyLine, startLine + maxSignatureLines - 1);
  return { name, path, kind, signature: { startLine, endLine: signatureEnd }, body: { startLine, endLine } };
}

function fromDeclaration({ name, kind, startLine, endLine }: Declaration, path: string): Definition {
  const signatureEnd = Math.min(endLine, startLine + maxSignatureLines - 1);
  return { name, path, kind, signature: { startLine, endLine: signatureEnd }, body: { startLine, endLine } };
}

/**
 * Names whose declaration is in the lines, each once, in order: functions and types by their
 * heads, enumerators, constants, macros and keys. A change of only a body declares none. (GRD-3)
 */
export function namesDeclared(outline: Outline, firstLine: number, lastLine: number): readonly string[] {
  const touches = (startLine: number, endLine: number) => startLine <= lastLine && endLine >= firstLine;
  const names = new Set<string>();
  for (const { name, startLine, nameLine, bodyLine, kind } of outline.sections) {
    if (kind === 'key' ? touches(nameLine, nameLine) : touches(startLine, Math.max(nameLine, bodyLine)))
      names.add(name);
  }
  for (const { name, startLine, endLine } of outline.declarations) if (touches(startLine, endLine)) names.add(name);
  return [...names];
}

/** `namesDeclared` of each of the lines, ascending, one after the other, each name once. */
export function namesDeclaredOn(outline: Outline, lines: readonly number[]): readonly string[] {
  const found: { name: string; line: number }[] = [];
  const add = (name: string, startLine: number, endLine: number): void => {
    const line = firstFrom(lines, startLine);
    if (line !== undefined && line <= endLine) found.push({ name, line });
  };
  for (const { name, startLine, nameLine, bodyLine, kind } of outline.sections)
    if (kind === 'key') add(name, nameLine, nameLine);
    else add(name, startLine, Math.max(nameLine, bodyLine));
  for (const { name, startLine, endLine } of outline.declarations) add(name, startLine, endLine);
  return [...new Set(found.sort((a, b) => a.line - b.line).map(({ name }) => name))];
}

/** The first of the ascending lines that is no less than `from`. */
function firstFrom(lines: readonly number[], from: number): number | undefined {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return lines[low];
}
