import { type Language, languageOf } from '../../../outline/language.js';
import { namesDeclared, type OutlinedFile } from '../../../outline/names/definitions-of.js';
import { outline } from '../../../outline/outline.js';
import type { Outline } from '../../../outline/section.js';

/** C++ declares in more ways than other languages: its outline reads most of Rust, PHP, Protobuf and SQL. */
const FALLBACK: Language = 'cpp';

/** The language that a path tells, else the one whose outline reads most of unknown ones. */
export function readableLanguageOf(path: string): Language {
  return languageOf(path) ?? FALLBACK;
}

/** The outline of a text; an empty one where the text is too long for it. */
export function outlineOf(text: string, language: Language): Outline {
  return outline(text, language) ?? { language, method: 'braces', balanced: false, sections: [], declarations: [] };
}

/** A file and its outline. */
export function toOutlined(path: string, text: string): OutlinedFile {
  const language = readableLanguageOf(path);
  return { path, text, language, outline: outlineOf(text, language) };
}

/** Every name that a text declares. */
export function allDeclared(known: Outline): ReadonlySet<string> {
  return new Set(namesDeclared(known, 1, Number.MAX_SAFE_INTEGER));
}

/** True for a line that declares the name, as far as one line tells. */
export function looksLikeDefinition(line: string, name: string, path: string): boolean {
  return allDeclared(outlineOf(line.trim(), readableLanguageOf(path))).has(name);
}
