import type { Runner } from './runner.js';

/** One case of a suite, not yet run. */
export interface CollectedCase {
  /** The titles from the outermost `describe` to the `it`, joined by ` > `. */
  name: string;
  /** Rejects when the case fails. */
  run(): Promise<void>;
}

/** A case that failed, and what it threw. */
export interface FailedCase {
  name: string;
  error: unknown;
}

/**
 * Lists the cases of a contract suite instead of handing them to a test runner, so that a suite can
 * itself be tested: plant a fault in an implementation, run the cases, and see which convict it.
 */
export function collectCases<Harness>(
  describeContract: (runner: Runner, harness: Harness) => unknown,
  harness: Harness,
): readonly CollectedCase[] {
  const cases: CollectedCase[] = [];
  const path: string[] = [];
  const runner: Runner = {
    describe(name, body) {
      path.push(name);
      try {
        body();
      } finally {
        path.pop();
      }
    },
    it(name, body) {
      cases.push({ name: [...path, name].join(' > '), run: async () => body() });
    },
  };
  describeContract(runner, harness);
  return cases;
}

/** Runs the cases one after another; gives those that failed. */
export async function failedCases(cases: readonly CollectedCase[]): Promise<readonly FailedCase[]> {
  const failed: FailedCase[] = [];
  for (const { name, run } of cases) {
    try {
      await run();
    } catch (error) {
      failed.push({ name, error });
    }
  }
  return failed;
}
