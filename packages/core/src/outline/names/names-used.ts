import type { Language } from '../language.js';
import { type BraceLanguage, isBraceLanguage } from '../scan/lexical-rules.js';
import { scanCode } from '../scan/scan-code.js';
import { StepBudget, StepsExceeded } from '../scan/step-budget.js';
import { char, code } from '../scan/token-list.js';
import { isKeyword } from './keywords.js';

/** How many names one piece of text yields. */
const maxNames = 200;
const maxLength = 200_000;

/**
 * Names that some lines use: what they call and what looks like a type or a constant, outside strings
 * and comments, each once, in order. The lines may begin or end anywhere in a file, also inside a
 * comment. At most 200 names, from the first 200,000 characters. Empty for languages of data. (GRD-3)
 */
export function namesUsed(lines: string, language: Language): readonly string[] {
  const text = withoutCommentLines(lines.slice(0, maxLength));
  if (isBraceLanguage(language)) return fromTokens(text, language);
  const hidden = hiders[language];
  if (hidden === undefined) return [];
  const names = new Set<string>();
  const visible = text.replace(hidden, (match) => match.replace(/[^\n]/g, ' '));
  for (const match of visible.matchAll(/[A-Za-z_]\w{0,199}(?=[ \t]{0,8}(\()?)/g)) {
    if (names.size < maxNames && isUsed(match[0], match[1] !== undefined, language)) names.add(match[0]);
  }
  return [...names];
}

/** What hides names in languages that are not read by braces: strings and comments. */
const hiders: Partial<Record<Language, RegExp>> = {
  python: /#[^\n]*|"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?/g,
  lua: /--[^\n]*|\[\[[^\]]*\]\]|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?/g,
  cmake: /#[^\n]*|"(?:\\.|[^"\\])*"?/g,
};

/** Lines of a comment that began before: ` * text`. */
function withoutCommentLines(lines: string): string {
  return lines.replace(/^[ \t]{0,200}\*(?:[ \t][^\n]*|\/)?$/gm, '');
}

function fromTokens(text: string, language: BraceLanguage): readonly string[] {
  const names = new Set<string>();
  try {
    const tokens = scanCode(text, language, new StepBudget(64 * maxLength), true);
    for (let at = 0; at < tokens.count && names.size < maxNames; at += 1) {
      if (tokens.code(at) !== code.word) continue;
      const next = tokens.code(at + 1);
      const isCall = next === char.openParen || next === code.scope;
      const name = tokens.read(at);
      if (isUsed(name, isCall, language)) names.add(name);
    }
  } catch (error) {
    if (!(error instanceof StepsExceeded)) throw error;
  }
  return [...names];
}

/** A call, or a word that begins with a capital or ends in `_t`, and no word of the language. */
function isUsed(name: string, isCall: boolean, language: Language): boolean {
  if (name.length < 2 || isKeyword(name, language)) return false;
  return isCall || (name.length > 2 && /^(?:[A-Z]|[a-z]\w*_t$|k[A-Z])/.test(name));
}
