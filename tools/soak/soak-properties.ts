// Every property there is, drawn at random and more often than in CI: npm run soak:properties [--
// --runs 10] [--seed N] [PART OF A PATH …] Test files with properties are told by their text;
// contract suites have some.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findTests } from '../prove/test-titles.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const hasProperties = /fast-check|describe\w*(?:Contract|Properties)|checkRedactor/;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '10' }, seed: { type: 'string', default: 'random' } },
});
const files = findTests(root).all.filter(
  (file) =>
    hasProperties.test(readFileSync(join(root, file), 'utf8')) &&
    (positionals.length === 0 || positionals.some((part) => file.includes(part))),
);
const timeoutMs = 20_000 * Math.max(1, Number(values.runs));
const { status } = spawnSync('npx', ['vitest', 'run', `--test-timeout=${timeoutMs}`, ...files], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, CRITICIZER_PROPERTY_SEED: values.seed, CRITICIZER_PROPERTY_RUNS: values.runs },
});
process.exitCode = status ?? 1;
