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

/** What could never match a stored path, and so would silently deny or permit nothing: a trailing slash, an empty step, an encoded or revision character that storage does not have. */
function checkPattern(pattern: string): void {
  const complain = (why: string): never => {
    throw new TypeError(`depot pattern ${JSON.stringify(pattern)}: ${why}; write "//depot/dir/..." for everything below a folder`);
  };
  if (!/^\/\/[^/]/.test(pattern)) complain('it must begin with // and a depot');
  if (pattern.endsWith('/')) complain('it ends in a slash');
  if (pattern.slice(2).includes('//')) complain('it has an empty step');
  if (/[@#]/.test(pattern)) complain('@ and # are encoded in stored paths, as %40 and %23');
  if (/%(?!40|23|2A|25)/.test(pattern)) complain('only %40, %23, %2A and %25 stand in stored paths');
}

/**
 * Compiles a Perforce path pattern, `...` and `*`, to a test; one without a wildcard is a file, or a folder with all below it. With `caseSensitive: false` both sides are folded. Throws `TypeError` for a
 * pattern that could match nothing that is stored.
 */
export function compileDepotPattern(pattern: string, caseSensitive: boolean): (path: string) => boolean {
  checkPattern(pattern);
  const fold = (text: string): string => (caseSensitive ? text : text.toLowerCase());
  const steps = compile(fold(pattern));
  // A folder written like a file means what lies below it: a rule that denies must not deny nothing.
  const below = /\.\.\.|\*/.test(pattern) ? null : compile(fold(`${pattern}/...`));
  return (path) => matches(steps, fold(path)) || (below !== null && matches(below, fold(path)));
}
