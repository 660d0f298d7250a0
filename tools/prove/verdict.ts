// Judges one run with a fault planted: did a test of the requirement fail, or did something merely break?

export interface RunOutcome {
  /** The tests of the requirement that ran; `file` from the root of the repository. */
  tests: readonly { file: string; name: string; state: 'passed' | 'failed'; errorNames: readonly string[] }[];
  /** Test files and suites that broke outside a test: an import, a syntax error, a `beforeAll`. */
  broken: readonly string[];
}

export interface Verdict {
  convicted: boolean;
  reason: string;
}

/** Errors of source that cannot run at all: a fault must be code that runs, and is wrong. */
const notRunning = new Set(['ReferenceError', 'SyntaxError']);

export function judge({ tests, broken }: RunOutcome): Verdict {
  if (broken.length > 0) return { convicted: false, reason: `broke outside a test: ${broken.join('; ')}` };
  if (tests.length === 0) return { convicted: false, reason: 'no test has this ID' };
  const failed = tests.filter((test) => test.state === 'failed');
  if (failed.length === 0) return { convicted: false, reason: `${tests.length} tests stayed green` };
  if (failed.every((test) => test.errorNames.length > 0 && test.errorNames.every((name) => notRunning.has(name))))
    return { convicted: false, reason: `the planted code does not run: ${failed[0]?.errorNames[0]}` };
  return { convicted: true, reason: `${failed.length} of ${tests.length} tests failed` };
}

/** Judges the run without the fault: `undefined` where all is green. */
export function whyNotGreen({ tests, broken }: RunOutcome): string | undefined {
  if (broken.length > 0) return `broke outside a test: ${broken.join('; ')}`;
  if (tests.length === 0) return 'no test has this ID';
  const failed = tests.filter((test) => test.state === 'failed');
  return failed.length > 0 ? `red without the fault: ${failed.map((test) => test.name).join('; ')}` : undefined;
}
