const within = '*';
const anything = '...';

/** True for a canonical depot path: `//depot/dir/file`, without empty, `.` or `..` steps and without control characters. */
export function isCanonicalDepotPath(path: string): boolean {
  if (!path.startsWith('//')) return false;
  const steps = path.slice(2).split('/');
  const hasControl = [...path].some((char) => char < ' ' || char === '\u007f');
  return steps.length >= 2 && !hasControl && steps.every((step) => step !== '' && step !== '.' && step !== '..');
}

/** A step is a literal character, `*` (within a directory) or `...` (anything). */
function compile(pattern: string): readonly string[] {
  return pattern.split(anything).flatMap((part, at) => (at === 0 ? [...part] : [anything, ...part]));
}

/** Time is pattern length times path length at worst, whatever the pattern: no regular expression, no backtracking. */
function matches(steps: readonly string[], path: string): boolean {
  let reached = closure(
    steps,
    Array.from({ length: steps.length + 1 }, (_, at) => at === 0),
  );
  for (const char of path) {
    const next = reached.map(() => false);
    steps.forEach((step, at) => {
      if (reached[at] !== true) return;
      if (step === anything || (step === within && char !== '/')) next[at] = true;
      else if (step === char) next[at + 1] = true;
    });
    reached = closure(steps, next);
  }
  return reached[steps.length] === true;
}

/** A wildcard may also stand for nothing. */
function closure(steps: readonly string[], reached: boolean[]): boolean[] {
  steps.forEach((step, at) => {
    if (reached[at] === true && (step === anything || step === within)) reached[at + 1] = true;
  });
  return reached;
}

/**
 * Compiles a Perforce path pattern, `...` and `*`, to a test. With `caseSensitive: false` both sides are folded. Throws `TypeError` for a
 * pattern that does not begin with `//`.
 */
export function compileDepotPattern(pattern: string, caseSensitive: boolean): (path: string) => boolean {
  if (!/^\/\/[^/]/.test(pattern)) throw new TypeError('depot pattern: expected a path such as "//depot/dir/..."');
  const fold = (text: string): string => (caseSensitive ? text : text.toLowerCase());
  const steps = compile(fold(pattern));
  return (path) => matches(steps, fold(path));
}
