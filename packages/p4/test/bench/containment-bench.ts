// npm run bench:containment -- [--runs N] [--json FILE] What a rung costs a run of the client, against
// the same run without containment: a program that ends at once, so that nothing but starting it is
// measured, and a run of the simulator.
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { systemClock } from '@criticizer/core/ports';
import { runP4Process } from '../../src/client/p4-process.js';
import { findHostTools } from '../../src/containment/host-tools.js';
import { prepareRoot } from '../../src/containment/prepared-root.js';
import type { CommandLine } from '../../src/containment/rungs.js';
import { createContainedSimulator, environments, offeredRungs } from '../contained-simulator.js';
import { smallModel } from '../fetcher-setup.js';

interface Row {
  client: string;
  rung: string;
  p50Ms: number;
  p95Ms: number;
  /** Of the medians, to that without containment in the same rounds. */
  ratio: number;
}

const usage = 'usage: npm run bench:containment -- [--runs N] [--json FILE]';

function parse(args: readonly string[]): { runs: number; json: string | null } {
  const left = args.filter((arg) => arg !== '--');
  const take = (name: string): string | null => {
    const at = left.indexOf(name);
    return at === -1 ? null : (left.splice(at, 2)[1] ?? '');
  };
  const [runs, json] = [Number(take('--runs') ?? 100), take('--json')];
  if (!Number.isSafeInteger(runs) || runs < 1 || json === '' || left.length > 0) throw new TypeError(usage);
  return { runs, json };
}

async function run({ file, argv }: CommandLine): Promise<number> {
  const startedAt = performance.now();
  const { exitCode, stderr } = await runP4Process({
    ...{ executable: file, argv, env: environments.inside, directory: '/', input: null, wallMs: 20_000 },
    ...{ killGraceMs: 0, maxOutputBytes: 1_000_000, signal: new AbortController().signal, clock: systemClock },
    onOutput: () => undefined,
  });
  if (exitCode !== 0) throw new Error(`${file} ended with ${exitCode}: ${stderr}`);
  return performance.now() - startedAt;
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** All ways in turn, round by round, so that the load of the machine falls on each alike. */
async function measure(client: string, ways: ReadonlyMap<string, CommandLine>, rounds: number): Promise<Row[]> {
  const times = new Map([...ways.keys()].map((name) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round += 1)
    for (const [name, line] of ways) {
      const ms = await run(line);
      if (round > 0) times.get(name)?.push(ms); // the first is a warm-up
    }
  const sorted = new Map([...times].map(([name, list]) => [name, list.sort((a, b) => a - b)]));
  const alone = quantile(sorted.get('alone') ?? [], 0.5);
  return [...sorted].map(([rung, list]) => {
    const [p50Ms, p95Ms] = [quantile(list, 0.5), quantile(list, 0.95)];
    return { client, rung, p50Ms, p95Ms, ratio: p50Ms / alone };
  });
}

/** A client that does nothing: the cost of containment itself. */
async function measureStart(rounds: number): Promise<{ rows: Row[]; prepareMs: number }> {
  const client = '/bin/true';
  const startedAt = performance.now();
  const root = await prepareRoot({ client, trust: '', ldd: findHostTools().ldd });
  const prepareMs = performance.now() - startedAt;
  try {
    const ways = new Map<string, CommandLine>([['alone', { file: client, argv: [] }]]);
    for (const { title, rung } of offeredRungs()) if (rung.kind === 'root') ways.set(title, rung.enter(root.path, []));
    return { rows: await measure('a program that ends at once', ways, rounds), prepareMs };
  } finally {
    await root.remove();
  }
}

/** A whole command of the simulator, which is a script of Node. */
async function measureSimulator(rounds: number): Promise<Row[]> {
  const simulated = createContainedSimulator(smallModel);
  try {
    const { executable, port } = simulated.simulator;
    const argv = ['-p', port, '-u', 'reviewer', '-ztag', '-G', 'describe', '-s', '5'];
    const ways = new Map<string, CommandLine>([['alone', { file: executable, argv }]]);
    for (const { title, rung } of offeredRungs()) {
      const host = simulated.host([rung]);
      const contained = { client: executable, trust: '' };
      if ((await host.select(contained)).rung === null) continue;
      ways.set(title, (await host.enter(contained)).start(argv, []));
    }
    const drained = setInterval(() => simulated.takeRuns(), 50); // its log is a pipe, which fills
    return await measure('describe of the simulator', ways, rounds).finally(() => clearInterval(drained));
  } finally {
    simulated.dispose();
  }
}

async function main(): Promise<void> {
  if (process.platform !== 'linux') throw new Error('bench:containment needs Linux: no other platform has rungs');
  const { runs, json } = parse(process.argv.slice(2));
  const { rows: started, prepareMs } = await measureStart(runs);
  const rows = [...started, ...(await measureSimulator(Math.ceil(runs / 2)))];
  process.stdout.write(`root prepared in ${prepareMs.toFixed(1)} ms\n`);
  for (const { client, rung, p50Ms, p95Ms, ratio } of rows)
    process.stdout.write(
      `${client.padEnd(28)} ${rung.padEnd(24)} ${p50Ms.toFixed(1).padStart(7)} ms  p95 ${p95Ms.toFixed(1).padStart(7)} ms  ${ratio.toFixed(2)}x\n`,
    );
  if (json === null) return;
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, platform: `${process.platform} ${process.arch}` };
  const [versions, date] = [{ node: process.version }, new Date().toISOString()];
  const report = { name: 'bench:containment', date, machine, versions, config: { runs }, results: { prepareMs, rows } };
  writeFileSync(json, `${JSON.stringify({ ...report, targets: [] }, null, 2)}\n`);
}

await main();
