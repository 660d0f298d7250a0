import { arrangeSections } from '../arrange-sections.js';
import type { BraceLanguage } from '../scan/lexical-rules.js';
import { scanCode } from '../scan/scan-code.js';
import type { StepBudget } from '../scan/step-budget.js';
import type { Outline } from '../section.js';
import { readBraces } from './brace-pass.js';
import type { BracePass } from './pass.js';
import { headRules } from './rules-by-language.js';

/**
 * Reads a text plainly; only where it does not close what it opens, a second time by columns. Columns
 * alone are worse on sound text: real files mix tabs and spaces.
 */
export function outlineBraces(text: string, language: BraceLanguage, budget: StepBudget): Outline {
  const tokens = scanCode(text, language, budget, false);
  const balanced = !tokens.unclosed && !tokens.conflicted;
  if (balanced) {
    const pass = readBraces(tokens, language, headRules[language], { budget, recovers: false });
    if (pass.balanced) return toOutline(pass, true);
  }
  const again = scanCode(text, language, budget, true);
  return toOutline(readBraces(again, language, headRules[language], { budget, recovers: true }), false);
}

function toOutline({ tokens, language, sections, declarations }: BracePass, balanced: boolean): Outline {
  const macros = tokens.macros.map((macro) => ({ kind: 'macro' as const, ...macro }));
  return {
    ...{ language, method: 'braces', balanced, sections: arrangeSections(sections, tokens.lineCount) },
    declarations: [...declarations, ...macros].sort((one, other) => one.startLine - other.startLine),
  };
}
