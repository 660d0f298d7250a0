import { type Definition, definitionsOf, type OutlinedFile } from '../../../outline/names/definitions-of.js';
import { isComment } from './key-words.js';

/** Lines of one definition, 1-based, both ends included. */
export interface FoundDefinition {
  name: string;
  path: string;
  form: 'signature' | 'body';
  startLine: number;
  endLine: number;
}

/** A body up to this long is shown whole; of a type, so many lines of a longer one. */
const MAX_SHORT_BODY = 12;
const MAX_TYPE_BODY = 40;
/** Lines of the comment above a definition: it gives units and promises. */
const MAX_COMMENT = 10;

function withComment(lines: readonly string[], startLine: number): number {
  let first = startLine;
  while (startLine - first < MAX_COMMENT && isComment(lines[first - 2] ?? '')) first -= 1;
  return first;
}

function toFound({ name, path, kind, signature, body }: Definition, lines: readonly string[]): FoundDefinition {
  const isWhole = kind === 'type' || body.endLine - body.startLine < MAX_SHORT_BODY;
  const endLine = isWhole ? Math.min(body.endLine, body.startLine + MAX_TYPE_BODY - 1) : signature.endLine;
  const form = isWhole && body.endLine > signature.endLine ? 'body' : 'signature';
  return { name, path, form, startLine: withComment(lines, signature.startLine), endLine };
}

/**
 * Definitions of the names in the files, with the comments above them: whole where they are short,
 * else their signature; none of a name that has more than three.
 */
export function findDefinitions(names: readonly string[], files: readonly OutlinedFile[]): readonly FoundDefinition[] {
  const lines = new Map<string, readonly string[]>();
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  return definitionsOf(names, files).map((definition) => {
    const known = lines.get(definition.path) ?? (texts.get(definition.path) ?? '').split('\n');
    lines.set(definition.path, known);
    return toFound(definition, known);
  });
}
