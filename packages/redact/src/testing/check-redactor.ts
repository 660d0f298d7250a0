import fc from 'fast-check';
import { BrokenPromise, type RedactorProperty, type RedactorUnderTest, redactorProperties } from './redactor-properties.js';
import type { Runner } from './runner.js';

export interface RedactorPropertyOptions extends RedactorUnderTest {
  /** Texts per property; default 300. */
  numRuns?: number | undefined;
  /** Repeats an earlier failure: the seed that its message names. */
  seed?: number | undefined;
}

/** One promise that does not hold, told so that a person can act on it. */
export interface Conviction {
  property: string;
  /** Several lines: the promise, the smallest text that breaks it, what came of it, why that is wrong, and how to see it again. */
  message: string;
}

/** Every promise that `options.create()` breaks, without any test runner; empty when all hold. */
export async function checkRedactor(options: RedactorPropertyOptions): Promise<readonly Conviction[]> {
  const convictions: Conviction[] = [];
  for (const property of redactorProperties) {
    const message = await convict(property, options);
    if (message !== undefined) convictions.push({ property: property.name, message });
  }
  return convictions;
}

/**
 * The same as tests for any runner: a redactor's promises over generated secrets in generated contexts, hostile text and innocent text (RED-1,
 * RED-8, RED-10). A failure prints the smallest text that breaks the promise.
 */
export function describeRedactorProperties(runner: Runner, options: RedactorPropertyOptions): void {
  runner.describe('redactor properties', () => {
    for (const property of redactorProperties) {
      runner.it(property.name, async () => {
        const message = await convict(property, options);
        if (message !== undefined) throw new Error(message);
      });
    }
  });
}

async function convict({ name, share, property }: RedactorProperty, options: RedactorPropertyOptions): Promise<string | undefined> {
  const { numRuns = 300, seed } = options;
  const runs = Math.max(1, Math.round(numRuns * share));
  const details = await fc.check(property(options), { numRuns: runs, ...(seed === undefined ? {} : { seed }) });
  if (!details.failed) return undefined;
  const { errorInstance, seed: seen, numShrinks } = details;
  const lines = errorInstance instanceof BrokenPromise ? accountOf(errorInstance) : [`it threw: ${String(errorInstance)}`];
  return [name, ...lines.map((line) => `  ${line}`), `  found with seed ${seen}, made smaller ${numShrinks} times`].join('\n');
}

function accountOf({ message, given, redacted }: BrokenPromise): string[] {
  return [
    ...(given.path === undefined ? [] : [`path:  ${given.path}`]),
    ...(given.diff === true ? ['read as a diff'] : []),
    `given: ${JSON.stringify(given.text)}`,
    `gives: ${JSON.stringify(redacted)}`,
    `but:   ${message}`,
  ];
}
