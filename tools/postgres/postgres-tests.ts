// Runs the tests that need a PostgreSQL on the server given, in a vitest of their own.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface TestCount {
  passed: number;
  failed: number;
  skipped: number;
  seconds: number;
  /** All that vitest printed. */
  output: string;
}

/**
 * What a run counted. Without its closing line, with no test passed, or with a failure outside the
 * tests it is never a success.
 */
export function countTests(output: string, exitCode: number | null): Pick<TestCount, 'passed' | 'failed' | 'skipped'> {
  const last = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/.exec(output.trimEnd().split('\n').at(-1) ?? '');
  const [passed = 0, failed = 0, skipped = 0] = last?.slice(1).map((n) => Number(n ?? 0)) ?? [];
  return { passed, failed: exitCode === 0 && passed > 0 ? failed : Math.max(failed, 1), skipped };
}

/** `229 passed, 0 failed, 14.8 s` */
export function countLine({ passed, failed, skipped, seconds }: TestCount): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}, ${seconds.toFixed(1)} s`;
}

/** The tests of queue-pg: store contract, model, concurrency, migrations, plans. `args` go to vitest. */
export async function runPostgresTests(
  databaseUrl: string,
  { env = {}, args = [] }: { env?: Readonly<Record<string, string>>; args?: readonly string[] } = {},
): Promise<TestCount> {
  const began = performance.now();
  const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
  const child = spawn(process.execPath, [vitest, 'run', '--project', 'queue-pg', ...args], {
    cwd: root,
    env: { ...process.env, ...env, DATABASE_URL: databaseUrl, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const exit = await new Promise<number | null>((done, fail) => child.once('error', fail).once('close', done));
  const seconds = (performance.now() - began) / 1000;
  return { ...countTests(output, exit), seconds, output };
}
