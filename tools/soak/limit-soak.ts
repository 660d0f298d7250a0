// npm run soak:limit -- [--rounds 1000] [--limit W] [--seed N] [--json FILE] The global limit W
// under 4 processes of 16 claimers, recorded by a trigger; then two bad limits, which it must
// convict. Exit 1 otherwise.
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { type LimitConfig, limitLine, runLimitRounds } from './limit-rounds.js';
import { plantedLimitFaults } from './planted-limit-faults.js';

const usage = 'usage: npm run soak:limit -- [--rounds N] [--limit N] [--seed N] [--json FILE]';

function parse(args: readonly string[]): { config: LimitConfig; json: string | undefined } {
  const config: LimitConfig = {
    limit: 8,
    rounds: 1_000,
    processes: 4,
    claimers: 16,
    seed: Math.floor(Date.now() / 1_000),
    planted: null,
  };
  let json: string | undefined;
  const left = args.filter((arg) => arg !== '--');
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    if (arg === '--json') {
      json = left.shift();
      continue;
    }
    const value = Number(left.shift());
    if (!['--rounds', '--limit', '--seed'].includes(arg) || !Number.isInteger(value) || value < 1)
      throw new TypeError(usage);
    config[arg.slice(2) as 'rounds' | 'limit' | 'seed'] = value;
  }
  return { config, json };
}

async function main(): Promise<boolean> {
  const { config, json } = parse(process.argv.slice(2));
  const report = await runLimitRounds(config);
  console.log(
    `${report.database}, ${config.processes} processes of ${config.claimers} claimers, ${config.rounds} rounds, clocks ${report.clocks}, seed ${config.seed}`,
  );
  console.log(limitLine(report));
  const targets = [
    {
      id: 'most running',
      value: report.most,
      target: config.limit,
      better: 'lower',
      pass: report.most <= config.limit,
    },
    { id: 'times at the limit', value: report.atLimit, target: 1, better: 'higher', pass: report.atLimit > 0 },
    { id: 'leases expired', value: report.expired, target: 1, better: 'higher', pass: report.expired > 0 },
  ];
  for (const planted of plantedLimitFaults) {
    const bad = await runLimitRounds({ ...config, rounds: Math.min(config.rounds, 20), planted });
    const guilty = bad.most > config.limit;
    console.log(`${planted}: ${guilty ? 'convicted' : 'NOT CONVICTED'} (${limitLine(bad)})`);
    targets.push({
      id: `${planted}: most running`,
      value: bad.most,
      target: config.limit + 1,
      better: 'higher',
      pass: guilty,
    });
  }
  if (json !== undefined) {
    const machine = { cpus: cpus().length, model: cpus()[0]?.model, platform: `${process.platform} ${process.arch}` };
    const versions = { node: process.version, database: report.database };
    const { config: _, ...results } = report;
    writeFileSync(
      json,
      `${JSON.stringify({ name: 'soak:limit', date: new Date().toISOString(), machine, versions, config, results, targets }, null, 2)}\n`,
    );
  }
  for (const { id, value, target, pass } of targets) if (!pass) console.log(`MISSED ${id}: ${value}, wanted ${target}`);
  return targets.every(({ pass }) => pass);
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
