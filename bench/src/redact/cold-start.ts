import { spawnSync } from 'node:child_process';

const SCRIPT = `const from = performance.now();
const { createRedactor } = await import('@criticizer/redact');
const imported = performance.now();
const redactor = createRedactor({ fingerprintKey: 'fingerprint key of the bench' });
const built = performance.now();
redactor.session().redact('const port = 8080;');
const read = performance.now() - built;
const times = { import: imported - from, build: built - imported, 'import and build': built - from };
console.log(JSON.stringify({ ...times, 'first text, which builds its rules': read }));`;

/** Milliseconds by step, in a process of its own; the file system has the package by the first. */
export function coldStartTimes(): Record<string, number> {
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', SCRIPT], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  return JSON.parse(stdout) as Record<string, number>;
}
