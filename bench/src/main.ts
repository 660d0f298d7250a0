// Measures, prints the table on standard output, writes the JSON. Started by queue.mjs, which
// installs what this imports.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverSettings, startServer } from './database.ts';
import { machine, versionOf } from './machine.ts';
import type { Measurement } from './measurement.ts';
import { claimCost } from './measurements/claim-cost.ts';
import { drain } from './measurements/drain.ts';
import { enqueue } from './measurements/enqueue.ts';
import { heartbeat } from './measurements/heartbeat.ts';
import { kill } from './measurements/kill.ts';
import { latency } from './measurements/latency.ts';
import { limit } from './measurements/limit.ts';
import { pinned } from './measurements/pinned.ts';
import { sqlite } from './measurements/sqlite.ts';
import { zombie } from './measurements/zombie.ts';
import { helpOf, type Options, readOptions } from './options.ts';
import { type Section, sectionJson, sectionText, targetsText } from './report.ts';

const measurements: readonly Measurement[] = [
  drain,
  enqueue,
  latency,
  claimCost,
  pinned,
  limit,
  heartbeat,
  kill,
  zombie,
  sqlite,
];
const libraries = [
  '@criticizer/queue-pg',
  'graphile-worker',
  'pg-boss',
  'bullmq',
  'pg',
  '@criticizer/queue-sqlite',
  'plainjob',
  'liteque',
  'better-sqlite3',
];

async function measure(options: Options): Promise<number> {
  const began = Date.now();
  const server = await startServer();
  const folder = mkdtempSync(join(tmpdir(), 'crit-bench-'));
  const versions = {
    node: process.version,
    postgres: server.version,
    ...Object.fromEntries(libraries.map((name) => [name, versionOf(name)])),
  };
  const progress = (line: string): void =>
    console.error(`${((Date.now() - began) / 1000).toFixed(0).padStart(5)} s  ${line}`);
  console.log([JSON.stringify(machine()), JSON.stringify(versions), serverSettings.join(' ')].join('\n'));
  const sections: Section[] = [];
  try {
    for (const { name, title, run } of measurements.filter((one) => options.only.includes(one.name))) {
      progress(title);
      const outcome = await run({ rounds: options.rounds, quick: options.quick, server, folder, progress });
      sections.push({ name, title, ...outcome });
      console.log(sectionText(sections.at(-1) as Section));
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  const targets = sections.flatMap((section) => section.targets);
  console.log(targetsText(targets));
  if (options.json !== undefined) {
    const config = { rounds: options.rounds, quick: options.quick, only: options.only, server: serverSettings };
    const date = new Date(began).toISOString();
    const report = {
      name: 'queue',
      date,
      machine: machine(),
      versions,
      config,
      results: sections.map(sectionJson),
      targets,
    };
    writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  }
  const hasFailed = sections.some(({ rows }) => rows.some((row) => row.failed !== undefined));
  return hasFailed || (options.check && targets.some(({ pass }) => pass !== true)) ? 1 : 0;
}

async function main(): Promise<number> {
  const known = measurements.map(({ name }) => name);
  const options = readOptions(process.argv.slice(2), known);
  if (!options.help) return measure(options);
  console.log(helpOf(measurements.map(({ name, title }) => `  ${name.padEnd(12)}${title}`)));
  return 0;
}

main().then(
  (code) => process.exit(code), // peers leave timers behind
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
