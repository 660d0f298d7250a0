// Plants each fault of tools/prove/faults.ts in memory and expects the tests of its requirement to
// fail. See CONTRIBUTING.md.
//   npm run prove                  what changed since the last published commit, and a seeded sample of the rest
//   npm run prove -- --all         every requirement that docs/conformance.md calls met
//   npm run prove -- WQ-3 OUT-2    these
// Options: --fast (do not run without the fault first), --seed TEXT, --sample N.
import { execFileSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readConformance } from '../docs/conformance.js';
import { type Fault, faults } from './faults.js';
import { setPlantedFault } from './planted-fault.js';
import { parseProveArguments, planFaults } from './prove-plan.js';
import { openTestSession, type TestSession } from './test-session.js';
import { findTests, titlePattern } from './test-titles.js';
import { judge, type Verdict, whyNotGreen } from './verdict.js';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const longestRunMs = 180_000;
const tests = findTests(root);

function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined; // no repository, no such commit
  }
}

/** Against what the remote has, or against the last commit where that is all the remote has. */
function changedFiles(): Set<string> {
  const head = git('rev-parse', 'HEAD');
  const remote = git('merge-base', 'origin/HEAD', 'HEAD');
  const base = remote !== undefined && remote !== head ? remote : git('rev-parse', 'HEAD~1');
  const since = base === undefined ? '' : git('diff', '--name-only', base);
  const fresh = git('ls-files', '--others', '--exclude-standard');
  return new Set([...(since ?? '').split('\n'), ...(fresh ?? '').split('\n')].filter((file) => file !== ''));
}

function testFilesOf(fault: Fault): string[] {
  const { tests: filter } = fault;
  return filter === undefined
    ? [...(tests.byId.get(fault.id) ?? [])]
    : tests.all.filter((file) => file.includes(filter));
}

async function within<T>(run: Promise<T>): Promise<T | 'hung'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'hung'>((done) => {
    timer = setTimeout(done, longestRunMs, 'hung');
  });
  return Promise.race([run, late]).finally(() => clearTimeout(timer));
}

/**
 * The rows that are red already, and why. One run for all; one for each row where a file breaks, to
 * know whose it is.
 */
async function redWithoutFault(session: TestSession, rows: readonly Fault[]): Promise<Map<Fault, string>> {
  const ids = [...new Set(rows.map((row) => row.id))];
  const together = await session.run(ids, [...new Set(rows.flatMap(testFilesOf))]);
  const red = new Map<Fault, string>();
  for (const row of rows) {
    const [files, pattern] = [new Set(testFilesOf(row)), titlePattern(row.id)];
    const own = {
      ...together,
      tests: together.tests.filter((test) => files.has(test.file) && pattern.test(test.name)),
    };
    const why = whyNotGreen(together.broken.length === 0 ? own : await session.run([row.id], [...files]));
    if (why !== undefined) red.set(row, why);
  }
  return red;
}

function plantOrSayWhyNot(row: Fault): string | undefined {
  try {
    setPlantedFault(row);
    return undefined;
  } catch (e) {
    return (e as Error).message;
  }
}

async function prove(rows: readonly Fault[], fast: boolean): Promise<number> {
  if (rows.length === 0) return 0;
  let session = await openTestSession(root);
  const red = fast ? new Map<Fault, string>() : await redWithoutFault(session, rows);
  let convicted = 0;
  for (const row of rows) {
    const began = performance.now();
    const why = red.get(row);
    let verdict: Verdict = { convicted: false, reason: why ?? plantOrSayWhyNot(row) ?? '' };
    if (verdict.reason === '') {
      const attempt = async (): Promise<Verdict> => {
        const run = await within(session.run([row.id], testFilesOf(row), row.file));
        return run === 'hung'
          ? { convicted: false, reason: `the tests hung for ${longestRunMs / 1000} s` }
          : judge(run);
      };
      verdict = await attempt();
      if (!verdict.convicted) {
        // A session may still hold what it loaded before the fault was planted: only a new one's word counts.
        await session.close();
        session = await openTestSession(root);
        verdict = await attempt();
      }
      setPlantedFault(undefined);
    }
    if (verdict.convicted) convicted++;
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(
      `${verdict.convicted ? 'convicted' : 'NOT PROVEN'}  ${row.id.padEnd(6)} ${row.file}: ${verdict.reason} (${seconds} s)`,
    );
  }
  await session.close();
  return convicted;
}

async function main(): Promise<boolean> {
  const request = parseProveArguments(process.argv.slice(2));
  const seed = request.seed ?? git('rev-parse', '--short', 'HEAD') ?? 'no commit';
  const requirements = readConformance(root);
  const rows = planFaults({
    request,
    requirements,
    faults,
    changed: changedFiles(),
    testsOf: (id) => tests.byId.get(id) ?? [],
    seed,
  });
  // Workers that tests start, and files read at run time, are faulty too.
  process.env['NODE_OPTIONS'] =
    `${process.env['NODE_OPTIONS'] ?? ''} --import ${pathToFileURL(`${root}/tools/prove/plant-in-process.mjs`)}`.trim();
  if (!request.all && request.ids.length === 0)
    console.log(`${rows.length} of ${faults.length} faults: what changed and a sample, seed ${seed}`);
  const convicted = await prove(rows, request.fast);
  console.log(`${convicted} of ${rows.length} convicted`);
  return convicted === rows.length;
}

try {
  process.exit((await main()) ? 0 : 1); // a worker that a fault has sent into an endless loop may be left
} catch (e) {
  console.error((e as Error).message);
  process.exit(2);
}
