// npm run bench:pipeline -- [--quick] [--check] [--rounds N] [--json FILE] Reviews a second with a
// model that answers at once, their CPU by stage, and the memory over many of them. --check: exit 1
// where a target is missed.
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { createDatabases } from './bench-stores.js';
import {
  type BenchConfig,
  type MemoryRow,
  measureMemory,
  measureStages,
  measureThroughput,
  type StageRow,
  type ThroughputRow,
} from './measurements.js';

interface Target {
  id: string;
  value: number;
  unit: string;
  target: number;
  better: 'higher' | 'lower';
  pass: boolean;
}

interface Results {
  memory: readonly MemoryRow[];
  throughput: readonly ThroughputRow[];
  stages: readonly StageRow[];
}

function configure({ quick, rounds }: { quick: boolean; rounds?: string | undefined }): BenchConfig {
  const shape = { files: 8, lines: 60 };
  const count = Number(rounds ?? (quick ? 1 : 3));
  if (!Number.isInteger(count) || count < 1) throw new TypeError('--rounds takes a whole number from 1');
  return quick
    ? { shape, reviews: 16, warmUp: 4, rounds: count, atOnce: [1, 4, 16], memoryAfter: [16, 32, 64] }
    : { shape, reviews: 100, warmUp: 40, rounds: count, atOnce: [1, 4, 16], memoryAfter: [500, 1_000, 2_000] };
}

function judge({ memory, throughput }: Results): Target[] {
  const [first, last] = [memory[0], memory.at(-1)];
  const growth = (last?.heapMiB ?? Number.NaN) - (first?.heapMiB ?? Number.NaN);
  const perCore = throughput
    .filter(({ atOnce }) => atOnce === 16)
    .map(({ store, cpuMs }): Target => {
      const value = 1_000 / cpuMs;
      const id = `${store}: reviews a second of one core, 16 at a time`;
      return { id, value, unit: '', target: 100, better: 'higher', pass: value >= 100 };
    });
  const id = `heap, ${first?.reviews} to ${last?.reviews} reviews`;
  return [...perCore, { id, value: growth, unit: 'MiB', target: 8, better: 'lower', pass: growth <= 8 }];
}

function print({ memory, throughput, stages }: Results, targets: readonly Target[]): void {
  console.log('\nThroughput: median of the rounds; CPU of this process');
  for (const { store, atOnce, perSecond, cpuMs, rounds } of throughput) {
    const all = rounds.map((round) => round.perSecond.toFixed(1)).join(' · ');
    const cpu = `${cpuMs.toFixed(1)} ms CPU a review, ${(1_000 / cpuMs).toFixed(0)} a second of one core`;
    console.log(
      `  ${store.padEnd(8)} ${String(atOnce).padStart(2)} at a time: ${perSecond.toFixed(1)}/s (${all}); ${cpu}`,
    );
  }
  console.log('\nCPU by stage, one review at a time');
  for (const { store, costs } of stages)
    for (const { stage, cpuMs } of costs)
      console.log(`  ${store.padEnd(8)} ${stage.padEnd(40)} ${cpuMs.toFixed(2)} ms`);
  console.log('\nMemory, SQLite, 16 at a time');
  for (const { reviews, rssMiB, heapMiB } of memory)
    console.log(`  after ${reviews}: resident ${rssMiB.toFixed(0)} MiB, heap ${heapMiB.toFixed(1)} MiB`);
  console.log('\nTargets');
  for (const { id, value, unit, target, better, pass } of targets)
    console.log(
      `  ${pass ? 'ok    ' : 'MISSED'} ${id}: ${value.toFixed(1)} ${unit} (${better === 'higher' ? '>=' : '<='} ${target})`,
    );
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    args: process.argv.slice(2).filter((arg) => arg !== '--'),
    options: {
      quick: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const config = configure(values);
  const load = loadavg()[0] ?? 0;
  const machine = {
    cpus: cpus().length,
    model: cpus()[0]?.model,
    platform: `${process.platform} ${process.arch}`,
    load,
  };
  console.log(`node ${process.version}, ${machine.cpus} x ${machine.model}, load ${load.toFixed(1)} before`);
  await using databases = createDatabases();
  const memory = await measureMemory(databases, config); // first, in a heap that nothing has filled
  const throughput = await measureThroughput(databases, config);
  const results = { memory, throughput, stages: await measureStages(databases, config) };
  const targets = judge(results);
  print(results, targets);
  if (values.json !== undefined) {
    const versions = { node: process.version, postgres: databases.postgresVersion() };
    const report = {
      name: 'bench:pipeline',
      date: new Date().toISOString(),
      machine,
      versions,
      config,
      results,
      targets,
    };
    writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
  }
  if (values.check && targets.some(({ pass }) => !pass)) process.exitCode = 1;
}

await main();
