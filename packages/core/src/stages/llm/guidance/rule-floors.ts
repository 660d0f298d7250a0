import type { Severity } from '../../../review/review-result.js';
import type { Settings } from '../../../settings/settings.js';
import { compileRulePaths, type RuleSettings } from './review-rules.js';

type FloorSettings = Pick<Settings['review'], 'rules' | 'severityFloor'>;

interface CompiledFloors {
  lifting: RuleSettings;
  lastMatch(path: string): number;
}

/** Settings are frozen: the rules of each are compiled once. */
const known = new WeakMap<RuleSettings, CompiledFloors>();

function compileFloors(rules: RuleSettings): CompiledFloors {
  const lifting = rules.filter(({ severityFloor }) => severityFloor !== undefined);
  const { lastMatch } = compileRulePaths(lifting, 'review.rules');
  return { lifting, lastMatch };
}

/**
 * The severity below which a finding in this file is counted and not shown: that of the last rule
 * of `review.rules` that matches the path and has one, else `review.severityFloor` (INT-3).
 */
export function findFloor({ rules, severityFloor }: FloorSettings, path: string): Severity {
  const compiled = known.get(rules) ?? compileFloors(rules);
  known.set(rules, compiled);
  return compiled.lifting[compiled.lastMatch(path)]?.severityFloor ?? severityFloor;
}
