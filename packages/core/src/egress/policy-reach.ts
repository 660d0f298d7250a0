import { readPatternForms } from './depot-pattern.js';
import { ANYTHING, WITHIN_STEP } from './pattern-trie.js';
import type { ProviderRule } from './provider-policy.js';

/** States looked at before the question is left open. */
const maxStates = 20_000;
/** Stands for every character that no pattern names. */
const ANY_OTHER = '\uE000';

/** Positions in patterns that the characters read so far may have led to, each once. */
type Reached = readonly number[];

/** Several patterns, stepped together, one character at a time. */
interface Automaton {
  start: Reached;
  step(reached: Reached, char: string): Reached;
  /** Characters that lead elsewhere than any other would. */
  expected(reached: Reached): readonly string[];
  /** Highest value of a pattern that ends here; -1 for none. */
  result(reached: Reached): number;
}

interface Position {
  token: string | null;
  value: number;
}

/** Compiles lists of tokens, each with the value that a match of it gives. */
function compile(patterns: readonly { tokens: readonly string[]; value: number }[], folds: boolean): Automaton {
  const positions: Position[] = [];
  const starts: number[] = [];
  for (const { tokens, value } of patterns) {
    starts.push(positions.length);
    for (const token of tokens) positions.push({ token, value });
    positions.push({ token: null, value });
  }
  const isWildcard = (token: string | null | undefined): boolean => token === ANYTHING || token === WITHIN_STEP;
  const close = (found: Iterable<number>): Reached => {
    const all = new Set<number>();
    for (let at of found) {
      all.add(at);
      // A wildcard matches nothing as well.
      while (isWildcard(positions[at]?.token)) all.add(++at);
    }
    return [...all].sort((a, b) => a - b);
  };
  return {
    start: close(starts),
    step(reached, given) {
      const char = folds ? given.toLowerCase() : given;
      return close(
        reached.flatMap((at) => {
          const token = positions[at]?.token;
          if (token === ANYTHING || (token === WITHIN_STEP && char !== '/')) return [at];
          return token === char ? [at + 1] : [];
        }),
      );
    },
    expected: (reached) =>
      reached.flatMap((at) => {
        const token = positions[at]?.token;
        if (token === null || token === undefined || isWildcard(token)) return [];
        return folds ? [token, token.toUpperCase()] : [token];
      }),
    result: (reached) =>
      reached.reduce((best, at) => (positions[at]?.token === null ? Math.max(best, positions[at].value) : best), -1),
  };
}

function compilePolicy(rules: readonly ProviderRule[], caseSensitive: boolean): Automaton {
  const patterns = rules.flatMap(({ paths }, value) =>
    paths.flatMap((path) => readPatternForms(path, caseSensitive).map((tokens) => ({ tokens, value }))),
  );
  return compile(patterns, !caseSensitive);
}

/** A beginning of paths: where it led to in each automaton, how many steps it has, and whether it is within one. */
interface Beginning {
  reached: readonly [Reached, Reached, Reached];
  steps: number;
  isInStep: boolean;
}

/**
 * False where the policy (`rules`, read as `createProviderPolicy` reads it) keeps every path that
 * one of `patterns` matches from the provider. `patterns` ignore case. Walks all paths at once, by
 * the states of the patterns; true, too, where that takes more than 20,000 states.
 */
export function mayReach(rules: readonly ProviderRule[], provider: string, patterns: readonly string[]): boolean {
  const targets = patterns.flatMap((path) => readPatternForms(path, false).map((tokens) => ({ tokens, value: 0 })));
  const automata = [compile(targets, true), compilePolicy(rules, true), compilePolicy(rules, false)] as const;
  const [target, ...readings] = automata;
  const advance = ({ reached, steps, isInStep }: Beginning, char: string): Beginning => ({
    reached: [
      automata[0].step(reached[0], char),
      automata[1].step(reached[1], char),
      automata[2].step(reached[2], char),
    ],
    steps: char !== '/' && !isInStep ? Math.min(2, steps + 1) : steps,
    isInStep: char !== '/',
  });
  const isPermitted = ({ reached, steps, isInStep }: Beginning): boolean =>
    isInStep &&
    steps === 2 &&
    target.result(reached[0]) >= 0 &&
    readings.every((reading, at) => {
      const decides = reading.result(reached[at + 1] ?? []);
      return rules[decides]?.providers.includes(provider) === true;
    });
  const empty: Beginning = {
    reached: [automata[0].start, automata[1].start, automata[2].start],
    steps: 0,
    isInStep: false,
  };
  const open = [advance(advance(empty, '/'), '/')];
  const seen = new Set<string>();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const key = JSON.stringify(next);
    if (seen.has(key) || next.reached[0].length === 0) continue;
    if (isPermitted(next) || seen.size >= maxStates) return true;
    seen.add(key);
    const chars = new Set([ANY_OTHER, ...automata.flatMap((one, at) => one.expected(next.reached[at] ?? []))]);
    chars.delete('/');
    for (const char of chars) open.push(advance(next, char));
    if (next.isInStep) open.push(advance(next, '/'));
  }
  return false;
}
