import { endsInSteps } from '@criticizer/core/internal';

/** A file name or path tail that a stored path can end in. */
export function isTail(name: string): boolean {
  const steps = name.split('/');
  return steps.every((step) => step !== '' && step !== '.' && step !== '..') && !/\.\.\.|%%|\p{Cc}|\uFFFD/u.test(name);
}

const encoded: Readonly<Record<string, string>> = { '%': '%25', '@': '%40', '#': '%23', '*': '%2A' };

/** The name as stored paths write it. */
export function encodeTail(name: string): string {
  return name.replace(/[%@#*]/g, (char) => encoded[char] ?? char);
}

/**
 * Operands for files below the scopes that end so, as of a change. `...` represents a step at least,
 * so a folder's own file needs an operand of its own.
 */
export function operandsFor(scopes: readonly string[], tail: string, asOf: number): readonly string[] {
  return scopes.flatMap((scope) => {
    if (!scope.endsWith('/...')) return endsInSteps(scope, tail) ? [`${scope}@${asOf}`] : [];
    return [`${scope}/${tail}@${asOf}`, `${scope.slice(0, -4)}/${tail}@${asOf}`];
  });
}
