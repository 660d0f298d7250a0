import { ANYTHING, createPatternTrie, type PatternTrie, WITHIN_STEP } from './pattern-trie.js';

/**
 * True for a canonical depot path: `//depot/dir/file`, without empty, `.` or `..` steps and without
 * control characters.
 */
export function isCanonicalDepotPath(path: string): boolean {
  if (!path.startsWith('//')) return false;
  const steps = path.slice(2).split('/');
  const hasControl = [...path].some((char) => char < ' ' || char === '\u007f');
  return steps.length >= 2 && !hasControl && steps.every((step) => step !== '' && step !== '.' && step !== '..');
}

/**
 * Literal characters, `*` (within a directory) and `...` (anything); of more than three dots in a
 * row the first three are the wildcard.
 */
function tokenise(pattern: string): readonly string[] {
  const literal = (part: string): readonly string[] => [...part].map((char) => (char === '*' ? WITHIN_STEP : char));
  return pattern.split('...').flatMap((part, at) => (at === 0 ? literal(part) : [ANYTHING, ...literal(part)]));
}

/**
 * Refuses what could never match a stored path, and so would silently deny or permit nothing: a
 * trailing slash, an empty step, an encoded or revision character that storage does not have.
 */
function checkPattern(pattern: string): void {
  const complain = (why: string): never => {
    throw new TypeError(
      `depot pattern ${JSON.stringify(pattern)}: ${why}; write "//depot/dir/..." for everything below a folder`,
    );
  };
  if (!/^\/\/[^/]/.test(pattern)) complain('it must begin with // and a depot');
  if (pattern.endsWith('/')) complain('it ends in a slash');
  if (pattern.slice(2).includes('//')) complain('it has an empty step');
  if (/[@#]/.test(pattern)) complain('@ and # are encoded in stored paths, as %40 and %23');
  if (/%(?!40|23|2A|25)/.test(pattern)) complain('only %40, %23, %2A and %25 stand in stored paths');
}

/**
 * The token lists that a pattern represents, characters and wildcards: one without a wildcard is a
 * file, or a folder with all below it. With `caseSensitive: false` it is folded. Throws `TypeError`
 * for a pattern that could match nothing that is stored.
 */
export function readPatternForms(pattern: string, caseSensitive: boolean): readonly (readonly string[])[] {
  checkPattern(pattern);
  // A folder written like a file means what lies below it: a rule that denies must not deny nothing.
  const forms = /\.\.\.|\*/.test(pattern) ? [pattern] : [pattern, `${pattern}/...`];
  return forms.map((form) => tokenise(caseSensitive ? form : form.toLowerCase()));
}

/** Patterns of one rule. */
export interface DepotRule {
  paths: readonly string[];
}

/** Finds the rule that decides about a path. */
export interface DepotRuleMatcher extends Pick<PatternTrie, 'steps'> {
  /** Index of the last rule that matches, as in a protections table; -1 where none does. */
  lastMatch(path: string): number;
}

/**
 * Compiles the Perforce path patterns of rules, `...` and `*`, so that a path is read once whatever
 * their number. A pattern without a wildcard is a file, or a folder with all below it. With
 * `caseSensitive: false` both sides are folded. Throws `TypeError` for a pattern that could match
 * nothing that is stored.
 */
export function compileDepotRules(rules: readonly DepotRule[], caseSensitive: boolean): DepotRuleMatcher {
  const fold = (text: string): string => (caseSensitive ? text : text.toLowerCase());
  const patterns = rules.flatMap(({ paths }, value) =>
    paths.flatMap((pattern) => readPatternForms(pattern, caseSensitive).map((tokens) => ({ tokens, value }))),
  );
  const trie = createPatternTrie(patterns);
  return { lastMatch: (path) => trie.match(fold(path)), steps: trie.steps };
}

/** Compiles one pattern to a test. Throws as `compileDepotRules` does. */
export function compileDepotPattern(pattern: string, caseSensitive: boolean): (path: string) => boolean {
  const { lastMatch } = compileDepotRules([{ paths: [pattern] }], caseSensitive);
  return (path) => lastMatch(path) === 0;
}
