/** Lines of one definition, 1-based, both ends included. */
export interface FoundDefinition {
  name: string;
  path: string;
  form: 'signature' | 'body';
  startLine: number;
  endLine: number;
}

const MAX_SIGNATURE_LINES = 6;
const MAX_BODY_LINES = 40;
/** More definitions than this of one name say nothing about the one that is meant. */
const MAX_DEFINITIONS = 3;

const quoteName = (name: string): string => name.replace(/[$.\\]/g, '\\$&');

interface Patterns {
  type: RegExp;
  value: RegExp;
}

function patternsFor(name: string): Patterns {
  const word = `(?<![\\p{L}\\p{N}_$])${quoteName(name)}(?![\\p{L}\\p{N}_$])`;
  const type = `\\b(?:class|struct|enum|interface|union|trait|record|type|typedef|using)\\b[^=;(]{0,120}${word}(?!\\s*[;(.])`;
  const kinds = 'def|func|fn|function|const|let|var|val|static|constexpr|define|local';
  const value = [
    `\\b(?:${kinds})\\b[^=;]{0,120}?${word}\\s*(?:[(=:<]|\\s|$)`,
    `^\\s*(?!(?:return|else|new|throw|case|delete|await|yield|goto|import|from)\\b)(?:[\\w:<>,*&~\\[\\]]{1,80}\\s+){1,6}[*&]*(?:\\w{1,80}::)?${word}\\s*\\(`,
    `^\\s*(?:async\\s+|static\\s+|public\\s+|private\\s+)*${word}\\s*\\([^;]{0,200}\\)[^;=]{0,40}\\{\\s*$`,
    `^\\s*["']?${word}["']?\\s*(?:=(?!=)|:(?!:))`,
  ].join('|');
  return { type: new RegExp(type, 'u'), value: new RegExp(value, 'u') };
}

/** Where the definition that begins at a line (from 0) ends, by its brackets or, without any, by its indentation. */
function endOf(lines: readonly string[], start: number): number {
  const indent = (lines[start] ?? '').search(/\S/);
  for (let at = start + 1; at < lines.length && at < start + MAX_BODY_LINES; at += 1) {
    const text = lines[at] ?? '';
    const own = text.search(/\S/);
    if (own === -1 || own > indent) continue;
    if (/^\s*[{(]/.test(text)) continue;
    return /^\s*[}\])]|^\s*end\b/.test(text) ? at : at - 1;
  }
  return Math.min(lines.length, start + MAX_BODY_LINES) - 1;
}

function signatureEnd(lines: readonly string[], start: number): number {
  const last = Math.min(lines.length, start + MAX_SIGNATURE_LINES) - 1;
  for (let at = start; at < last; at += 1) if (/[{;:,)]\s*$|\)\s*(?:const)?\s*$/.test(lines[at] ?? '')) return at;
  return last;
}

/**
 * Definitions of the names in the files: signatures of functions and values, bodies of types, of
 * each name all of them where there are three at most, else none.
 */
export function findDefinitions(
  names: readonly string[],
  files: readonly { path: string; text: string }[],
): readonly FoundDefinition[] {
  const split = files.map(({ path, text }) => ({
    path,
    text,
    lines: text.split('\n').map((one) => one.slice(0, 400)),
  }));
  return names.flatMap((name) => {
    const { type, value } = patternsFor(name);
    const found = split.flatMap(({ path, text, lines }) => {
      if (!text.includes(name)) return [];
      return lines.flatMap((line, at): FoundDefinition[] => {
        if (!line.includes(name)) return [];
        const form = type.test(line) ? 'body' : value.test(line) ? 'signature' : null;
        if (form === null) return [];
        const endLine = (form === 'body' ? endOf(lines, at) : signatureEnd(lines, at)) + 1;
        return [{ name, path, form, startLine: at + 1, endLine }];
      });
    });
    return found.length <= MAX_DEFINITIONS ? found : [];
  });
}

/** Those of the names that a text defines by itself. */
export function namesDefinedIn(text: string, names: readonly string[]): ReadonlySet<string> {
  return new Set(findDefinitions([...new Set(names)], [{ path: '', text }]).map(({ name }) => name));
}
