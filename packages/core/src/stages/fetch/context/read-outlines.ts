import { type Language, languageOf } from '../../../outline/language.js';
import { namesDeclared, type OutlinedFile } from '../../../outline/names/definitions-of.js';
import { outline } from '../../../outline/outline.js';
import type { Outline } from '../../../outline/section.js';
import { outlineUnknown } from './outline-unknown.js';

/** The language whose words and strings other languages share most. */
const FALLBACK: Language = 'cpp';

/** The language that a path tells, else C++. */
export function readableLanguageOf(path: string): Language {
  return languageOf(path) ?? FALLBACK;
}

/** The outline of a file's text; an empty one where the text is too long for it. */
export function outlineOf(text: string, path: string): Outline {
  const language = languageOf(path);
  const known = language === undefined ? outlineUnknown(text) : outline(text, language);
  const none = {
    language: language ?? FALLBACK,
    method: 'braces',
    balanced: false,
    sections: [],
    declarations: [],
  } as const;
  return known ?? none;
}

/** A file and its outline. */
export function toOutlined(path: string, text: string): OutlinedFile {
  return { path, text, language: readableLanguageOf(path), outline: outlineOf(text, path) };
}

/** Every name that a text declares. */
export function allDeclared(known: Outline): ReadonlySet<string> {
  return new Set(namesDeclared(known, 1, Number.MAX_SAFE_INTEGER));
}

/** True for a line that declares the name, as far as one line tells. */
export function looksLikeDefinition(line: string, name: string, path: string): boolean {
  return allDeclared(outlineOf(line.trim(), path)).has(name);
}
