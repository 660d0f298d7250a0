import { outlineBraces } from './braces/brace-outline.js';
import type { Language } from './language.js';
import { outlineIndent } from './lines/indent-outline.js';
import { outlineJson } from './lines/json-outline.js';
import { outlineIni, outlineYaml } from './lines/key-outline.js';
import { outlineKeywords } from './lines/keyword-outline.js';
import { outlineTags } from './lines/tag-outline.js';
import { isBraceLanguage } from './scan/lexical-rules.js';
import { StepBudget, StepsExceeded } from './scan/step-budget.js';
import type { Outline, OutlineLimits } from './section.js';

/** Bounds that suit source files: 2 MiB, and steps for that many characters in every language. */
export const defaultOutlineLimits: OutlineLimits = { maxBytes: 2 * 1024 * 1024, maxSteps: 200_000_000 };

/**
 * The functions, types and keys of a text, with their lines. Reads any text, also a broken one, and
 * never throws: undefined where the text exceeds `limits`. The same
 * text gives the same outline. A byte-order mark is ignored. (GRD-3)
 */
export function outline(
  text: string,
  language: Language,
  limits: OutlineLimits = defaultOutlineLimits,
): Outline | undefined {
  if (text.length > limits.maxBytes || Buffer.byteLength(text) > limits.maxBytes) return undefined;
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  try {
    return outlineWith(plain, language, new StepBudget(limits.maxSteps));
  } catch (error) {
    if (error instanceof StepsExceeded) return undefined;
    throw error;
  }
}

function outlineWith(text: string, language: Language, budget: StepBudget): Outline {
  if (isBraceLanguage(language)) return outlineBraces(text, language, budget);
  switch (language) {
    case 'python':
      return outlineIndent(text, budget);
    case 'lua':
    case 'cmake':
      return outlineKeywords(text, language, budget);
    case 'xml':
      return outlineTags(text, budget);
    case 'json':
      return outlineJson(text, budget);
    case 'yaml':
      return outlineYaml(text, budget);
    case 'ini':
      return outlineIni(text, budget);
  }
}
