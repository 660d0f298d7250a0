import { compileDepotRules } from '../../../egress/depot-pattern.js';
import type { TruePaths } from '../../job/change-snapshot.js';
import { bothPaths } from '../../job/true-paths.js';
import type { BudgetSettings, Limits } from './spent.js';

/** One row of `llm.budget.perPath`, compiled. */
export interface PathBudget {
  name: string;
  limits: Limits;
  /** True where a file is under this budget, by its path or by the one that it came from. */
  covers(paths: TruePaths): boolean;
}

/**
 * Compiles `llm.budget.perPath`. Case is ignored: a budget that counts a file too many spares money.
 * Throws `TypeError` for two budgets of one name and for a pattern that could match nothing.
 */
export function compilePathBudgets(perPath: BudgetSettings['perPath']): readonly PathBudget[] {
  const names = perPath.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new TypeError(
      `settings.llm.budget.perPath: ${JSON.stringify(twice)} names two budgets; expected one of each`,
    );
  return perPath.map(({ name, paths, ...limits }) => {
    const { lastMatch } = compile(name, paths);
    return { name, limits, covers: (file) => bothPaths(file).some((path) => lastMatch(path) === 0) };
  });
}

function compile(name: string, paths: readonly string[]): ReturnType<typeof compileDepotRules> {
  try {
    return compileDepotRules([{ paths }], false);
  } catch (error) {
    throw error instanceof TypeError ? new TypeError(`settings.llm.budget.perPath: ${name}: ${error.message}`) : error;
  }
}
