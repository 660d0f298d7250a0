// npm run bench:p4 -- [--check] [--json FILE] How fast `-G` output is read, and what a change of
// very many files costs, against the simulator. --check: exit 1 where a target is missed.
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { type FetchRow, measureFetches } from './fetch-bench.js';
import { measureReader } from './reader-bench.js';

interface Target {
  id: string;
  value: number;
  unit: string;
  target: number;
  better: 'higher' | 'lower';
  pass: boolean;
}

const mebibyte = 1024 * 1024;
const usage = 'usage: npm run bench:p4 -- [--check] [--json FILE]';

function parse(args: readonly string[]): { check: boolean; json: string | null } {
  const left = args.filter((arg) => arg !== '--');
  const jsonAt = left.indexOf('--json');
  const json = jsonAt === -1 ? null : (left.splice(jsonAt, 2)[1] ?? '');
  const check = left[0] === '--check';
  if (json === '' || left.length > (check ? 1 : 0)) throw new TypeError(usage);
  return { check, json };
}

function main(): void {
  if (process.platform !== 'linux')
    throw new Error('bench:p4 reads the peak of the memory from /proc, as Linux has it');
  const { check, json } = parse(process.argv.slice(2));
  const reader = measureReader();
  const fetches = measureFetches();
  const [large, oneRecord, manyRecords] = reader.map((row) => row.megabytesPerSecond);
  const targets = [
    atLeast(reader[0]?.id, large, 150, 'MB/s'),
    atLeast(reader[1]?.id, oneRecord, 40, 'MB/s'),
    atLeast(reader[2]?.id, manyRecords, 40, 'MB/s'),
    ...fetchTargets(fetches),
  ];
  print(targets, fetches);
  if (json !== null) {
    const machine = { cpus: cpus().length, model: cpus()[0]?.model, platform: `${process.platform} ${process.arch}` };
    const versions = { node: process.version };
    const report = {
      name: 'bench:p4',
      date: new Date().toISOString(),
      machine,
      versions,
      results: { reader, fetches },
      targets,
    };
    writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  }
  if (check && targets.some(({ pass }) => !pass)) process.exitCode = 1;
}

/** The heavy change is shown beside the others without a target of its own for memory: most of it is the result. */
function fetchTargets([mass, heavy, over]: readonly FetchRow[]): Target[] {
  const [growth, seconds] = [
    (row?: FetchRow) => (row?.peakGrowthBytes ?? 0) / mebibyte,
    (row?: FetchRow) => (row?.wallMs ?? 0) / 1000,
  ];
  return [
    atMost(`${mass?.id}: processes`, mass?.processes, 3, ''),
    atMost(`${mass?.id}: processes of a first fetch`, mass?.coldProcesses, 4, ''),
    atMost(`${mass?.id}: wall`, seconds(mass), 3, 's'),
    atMost(`${mass?.id}: growth of the resident set`, growth(mass), 64, 'MiB'),
    atMost(`${heavy?.id}: wall`, seconds(heavy), 3, 's'),
    atMost(`${over?.id}: processes`, over?.processes, 1, ''),
    atMost(`${over?.id}: growth of the resident set`, growth(over), 96, 'MiB'),
  ];
}

function atLeast(id = '', value = 0, target = 0, unit = ''): Target {
  return { id, value, unit, target, better: 'higher', pass: value >= target };
}

function atMost(id: string, value = Number.POSITIVE_INFINITY, target = 0, unit = ''): Target {
  return { id, value, unit, target, better: 'lower', pass: value <= target };
}

function print(targets: readonly Target[], fetches: readonly FetchRow[]): void {
  console.log(`node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`);
  for (const { id, value, unit, target, better, pass } of targets) {
    const shown = `${Number.isInteger(value) ? value : value.toFixed(1)} ${unit}`.trim();
    console.log(`${pass ? 'ok    ' : 'MISSED'} ${id}: ${shown} (${better === 'higher' ? '>=' : '<='} ${target})`);
  }
  for (const row of fetches) {
    const memory = `${(row.peakGrowthBytes / mebibyte).toFixed(1)} MiB`;
    const files = `${row.files} files, ${row.hunks} hunks, ${row.skipped} without text`;
    console.log(
      `       ${row.id}: ${row.outcome}; ${files}; ${(row.wallMs / 1000).toFixed(1)} s, ${memory}, first fetch ${row.coldProcesses} processes`,
    );
  }
}

main();
