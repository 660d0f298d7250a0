// npm run soak:queue -- --jobs 100000 --kills 500 [--store pg|sqlite] [--seed N] [--json FILE]
// [--mutants] Worker processes, faults at seeded points, and an independent ledger. Exit 1 where a
// target is missed, or where a planted fault is not found.
import { writeFileSync } from 'node:fs';
import { runMutants } from './mutants.js';
import { runSoak } from './run-soak.js';
import { parseSoakArguments } from './soak-arguments.js';
import { jsonOf, tableOf, targetsOf } from './soak-report.js';

async function main(): Promise<boolean> {
  const { config, json, mutants } = parseSoakArguments(process.argv.slice(2));
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort(new Error('interrupted')));
  process.once('SIGTERM', () => interrupted.abort(new Error('interrupted')));
  if (mutants) return runMutants(config.seed, (line) => console.log(line), interrupted.signal);
  const report = await runSoak(config, interrupted.signal);
  console.log(tableOf(report));
  if (json !== undefined) writeFileSync(json, jsonOf('soak:queue', report));
  const missed = targetsOf(report).filter(({ pass }) => !pass);
  for (const { id, value, target, better } of missed)
    console.log(`MISSED ${id}: ${value}, wanted ${better === 'lower' ? 'at most' : 'at least'} ${target}`);
  if (missed.length === 0) console.log('every target met');
  return missed.length === 0;
}

main().then(
  (passed) => {
    process.exitCode = passed ? 0 : 1;
  },
  (error: unknown) => {
    console.error(error instanceof TypeError ? error.message : error);
    process.exitCode = 1;
  },
);
