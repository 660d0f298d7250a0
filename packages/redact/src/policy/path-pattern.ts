/** One step of a compiled pattern: a character, `*` within a name, or any characters at all. */
type PatternStep = string | typeof ANYTHING;

const ANYTHING = Symbol('anything');
const WITHIN = '*';

/**
 * Compiles a path pattern: `*` stands for any characters within a name, `...` (as Perforce writes it) and `**` for any folders and names. A
 * pattern without a slash is asked of the last name alone. Case counts. Time is pattern length times path length, whatever the pattern.
 */
export function compilePathPattern(pattern: string): (path: string) => boolean {
  const steps: PatternStep[] = pattern.split(/\.\.\.|\*\*/).flatMap((part, at) => (at === 0 ? [...part] : [ANYTHING, ...part]));
  const isName = !pattern.includes('/') && !steps.includes(ANYTHING);
  return (path) => {
    const plain = withoutRevision(path);
    return matches(steps, isName ? plain.slice(plain.lastIndexOf('/') + 1) : plain);
  };
}

/** `//depot/a.c#3` and `//depot/a.c@123` are `//depot/a.c`; Windows separators read as slashes. */
function withoutRevision(path: string): string {
  const slashed = path.replaceAll('\\', '/');
  return slashed.replace(/(?:#\d+|@\d+)$/, '');
}

function matches(steps: readonly PatternStep[], path: string): boolean {
  let reached = skipWildcards(steps, new Set([0]));
  for (const char of path) {
    const next = new Set<number>();
    for (const at of reached) {
      const step = steps[at];
      if (step === ANYTHING || (step === WITHIN && char !== '/')) next.add(at);
      else if (step === char) next.add(at + 1);
    }
    if (next.size === 0) return false;
    reached = skipWildcards(steps, next);
  }
  return reached.has(steps.length);
}

/** A wildcard may also stand for nothing. */
function skipWildcards(steps: readonly PatternStep[], reached: Set<number>): Set<number> {
  for (const at of reached) if (steps[at] === ANYTHING || steps[at] === WITHIN) reached.add(at + 1);
  return reached;
}
