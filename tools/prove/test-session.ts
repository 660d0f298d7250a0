// One vitest for many runs: half a second a run, and one PostgreSQL for all.
import { join, relative } from 'node:path';
import type { TestModule, TestSuite, Vitest } from 'vitest/node';
import { createVitest } from 'vitest/node';
import { titlePattern } from './test-titles.js';
import type { RunOutcome } from './verdict.js';

export interface TestSession {
  /**
   * Runs the tests of these IDs in these files (from the root of the repository). `faulty` names
   * the source that has a fault in this run only.
   */
  run(ids: readonly string[], files: readonly string[], faulty?: string | undefined): Promise<RunOutcome>;
  close(): Promise<void>;
}

export async function openTestSession(root: string): Promise<TestSession> {
  const silent = {};
  const isolate = true; // a worker per file: none has modules of an earlier run, or that run's fault
  const vitest = await createVitest('test', {
    root,
    watch: false,
    isolate,
    reporters: [silent],
    passWithNoTests: true,
  });
  await vitest.standalone();
  const specifications = await vitest.globTestSpecifications();
  let lastFaulty: string | undefined;
  return {
    async run(ids, files, faulty) {
      const pattern = titlePattern(...ids);
      vitest.setGlobalTestNamePattern(pattern);
      for (const file of [lastFaulty, faulty]) if (file !== undefined) vitest.invalidateFile(join(root, file));
      lastFaulty = faulty;
      const wanted = new Set(files.map((file) => join(root, file)));
      const chosen = specifications.filter((specification) => wanted.has(specification.moduleId));
      const { testModules, unhandledErrors } = await vitest.runTestSpecifications(chosen);
      // It gives all that ever ran: what failed under an earlier fault convicts no later one.
      const ran = testModules.filter(({ moduleId }) => wanted.has(moduleId));
      return outcome(root, ran, unhandledErrors, pattern);
    },
    close: () => closeWithin(vitest, 15_000),
  };
}

function outcome(
  root: string,
  modules: readonly TestModule[],
  unhandled: readonly unknown[],
  pattern: RegExp,
): RunOutcome {
  const tests: RunOutcome['tests'][number][] = [];
  const broken = unhandled.map(
    (e) => `unhandled ${e instanceof Error ? e.name : String((e as { name?: unknown })?.name ?? e)}`,
  );
  for (const module of modules) {
    const file = relative(root, module.moduleId).replaceAll('\\', '/');
    const suites: (TestModule | TestSuite)[] = [module, ...module.children.allSuites()];
    for (const suite of suites)
      for (const e of suite.errors()) broken.push(`${file}: ${e.name ?? 'Error'}: ${firstLine(e.message)}`);
    for (const test of module.children.allTests()) {
      const { state, errors = [] } = test.result();
      const name = test.fullName.replaceAll(' > ', ' ');
      if ((state === 'passed' || state === 'failed') && pattern.test(name))
        tests.push({ file, name, state, errorNames: errors.map((e) => String(e.name ?? 'Error')) });
    }
  }
  return { tests, broken };
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** A worker that a fault has sent into an endless loop must not hold the others up. */
async function closeWithin(vitest: Vitest, ms: number): Promise<void> {
  await Promise.race([vitest.close(), new Promise((done) => setTimeout(done, ms).unref())]);
}
