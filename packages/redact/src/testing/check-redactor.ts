import fc from 'fast-check';
import { checkOptions, type KnownKeys } from '../check-options.js';
import {
  BrokenPromise,
  type RedactorProperty,
  type RedactorUnderTest,
  redactorProperties,
} from './redactor-properties.js';
import type { Runner } from './runner.js';

/** A redactor to check, and how many texts each property draws, from which seed. */
export interface RedactorPropertyOptions extends RedactorUnderTest {
  /** Texts per property; default 300. */
  numRuns?: number | undefined;
  /** Repeats an earlier failure: the seed that its message names. */
  seed?: number | undefined;
}

/** One promise that does not hold, told so that a person can act on it. */
export interface Conviction {
  property: string;
  /**
   * Several lines: the promise, the smallest text that breaks it, what came of it, why that is
   * wrong, and how to see it again.
   */
  message: string;
}

const knownOptions: KnownKeys<RedactorPropertyOptions> = {
  create: true,
  redactChunks: true,
  secrets: true,
  innocent: true,
  numRuns: true,
  seed: true,
};

/**
 * Every promise that `options.create()` breaks, without any test runner; empty when all hold. Rejects
 * with a TypeError for a wrong or unknown option.
 */
export async function checkRedactor(options: RedactorPropertyOptions): Promise<readonly Conviction[]> {
  checkPropertyOptions('checkRedactor', options);
  const convictions: Conviction[] = [];
  for (const property of redactorProperties) {
    const message = await convict(property, options);
    if (message !== undefined) convictions.push({ property: property.name, message });
  }
  return convictions;
}

/**
 * The same as tests for any runner: a redactor's promises over generated secrets in generated
 * contexts, hostile text and innocent text (RED-1, RED-8, RED-10). A failure prints the smallest
 * text that breaks the promise. Throws a TypeError for a wrong or unknown option.
 */
export function describeRedactorProperties(runner: Runner, options: RedactorPropertyOptions): void {
  checkPropertyOptions('describeRedactorProperties', options);
  runner.describe('redactor properties', () => {
    for (const property of redactorProperties) {
      runner.it(property.name, async () => {
        const message = await convict(property, options);
        if (message !== undefined) throw new Error(message);
      });
    }
  });
}

function checkPropertyOptions(factory: string, options: RedactorPropertyOptions): void {
  checkOptions(factory, options, knownOptions);
  const { create, redactChunks, numRuns = 1, seed = 0 } = options;
  if (typeof create !== 'function') throw new TypeError(`${factory}: create: expected a function`);
  if (redactChunks !== undefined && typeof redactChunks !== 'function')
    throw new TypeError(`${factory}: redactChunks: expected a function`);
  if (!Number.isSafeInteger(numRuns) || numRuns < 1)
    throw new TypeError(`${factory}: numRuns: expected a whole number from 1 on`);
  if (!Number.isSafeInteger(seed)) throw new TypeError(`${factory}: seed: expected a whole number`);
}

async function convict(
  { name, share, property }: RedactorProperty,
  options: RedactorPropertyOptions,
): Promise<string | undefined> {
  const { numRuns = 300, seed } = options;
  const runs = Math.max(1, Math.round(numRuns * share));
  const details = await fc.check(property(options), { numRuns: runs, ...(seed === undefined ? {} : { seed }) });
  if (!details.failed) return undefined;
  const { errorInstance, seed: seen, numShrinks } = details;
  const lines =
    errorInstance instanceof BrokenPromise ? accountOf(errorInstance) : [`it threw: ${String(errorInstance)}`];
  return [
    name,
    ...lines.map((line) => `  ${line}`),
    `  found with seed ${seen}, made smaller ${numShrinks} times`,
  ].join('\n');
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
