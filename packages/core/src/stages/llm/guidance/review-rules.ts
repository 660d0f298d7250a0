import { compileDepotRules, type DepotRuleMatcher } from '../../../egress/depot-pattern.js';
import type { Redactor } from '../../../foundation/redactor.js';
import type { TeamRule } from '../../../prompt/team-rules.js';
import type { Settings } from '../../../settings/settings.js';

/** The rows of `review.rules`. */
export type RuleSettings = Settings['review']['rules'];

/** `review.rules`, compiled. Takes true depot paths; case is ignored. */
export interface ReviewRules {
  /**
   * The rules with instructions that match any of these paths, in the given order, each once, with
   * those of its patterns that match.
   */
  findInstructions(paths: readonly string[]): readonly TeamRule[];
  /** Id of the provider that the last matching rule with one prefers. */
  findProvider(path: string): string | undefined;
}

interface CompiledRule {
  instructions: string;
  /** Finds whether the rule matches at all: most rules match few paths. */
  rule: DepotRuleMatcher;
  patterns: readonly { text: string; matcher: DepotRuleMatcher; isShown: boolean }[];
}

/** As `compileDepotRules`, case ignored; a `TypeError` names the setting. */
export function compileRulePaths(rules: readonly { paths: readonly string[] }[], setting: string): DepotRuleMatcher {
  try {
    return compileDepotRules(rules, false);
  } catch (error) {
    throw error instanceof TypeError ? new TypeError(`settings.${setting}: ${error.message}`) : error;
  }
}

function compileRule({ paths, instructions }: RuleSettings[number], at: number, redactor: Redactor): CompiledRule[] {
  const setting = `review.rules.${at}`;
  const rule = compileRulePaths([{ paths }], `${setting}.paths`);
  if (instructions === '') return [];
  const [found] = redactor.scan(instructions).filter(({ confidence }) => confidence === 'high');
  if (found !== undefined)
    throw new TypeError(
      `settings.${setting}.instructions: line ${found.line} reads like a secret (${found.rule}); the guard would block every request that holds it`,
    );
  const patterns = paths.map((text) => ({
    text,
    matcher: compileRulePaths([{ paths: [text] }], `${setting}.paths`),
    // A path that redaction hides in the change is not told by a rule either.
    isShown: redactor.scan(text).length === 0,
  }));
  return [{ instructions, rule, patterns }];
}

/**
 * Compiles `review.rules`. Throws `TypeError`, naming the setting, for a pattern that could match
 * nothing and for instructions that the guard would block.
 */
export function compileReviewRules(rules: RuleSettings, redactor: Redactor): ReviewRules {
  const compiled = rules.flatMap((rule, at) => compileRule(rule, at, redactor));
  const preferring = rules.filter(({ provider }) => provider !== undefined);
  const { lastMatch } = compileRulePaths(preferring, 'review.rules');
  return {
    findInstructions: (paths) =>
      compiled.flatMap(({ instructions, rule, patterns }): TeamRule[] => {
        const matching = paths.filter((path) => rule.lastMatch(path) === 0);
        if (matching.length === 0) return [];
        const shown = patterns.filter(
          ({ isShown, matcher }) => isShown && matching.some((path) => matcher.lastMatch(path) === 0),
        );
        return [{ paths: shown.map(({ text }) => text), instructions }];
      }),
    findProvider: (path) => preferring[lastMatch(path)]?.provider,
  };
}
