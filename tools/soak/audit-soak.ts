// `npm run soak:audit -- [--events N] [--kills N] [--hours N] [--store pg|sqlite] [--seed N]`
import { parseArgs } from 'node:util';
import { runAuditSoak } from './run-audit-soak.js';
import { bundleProcess } from './worker-bundle.js';

const text = { type: 'string' } as const;
const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: { events: text, kills: text, hours: text, store: text, seed: text },
});
const whole = (given: string | undefined, byDefault: number): number => {
  const value = Number(given ?? byDefault);
  if (!Number.isSafeInteger(value) || value < 1) throw new TypeError(`expected a whole number from 1, not ${given}`);
  return value;
};
const { store = 'pg' } = values;
if (store !== 'pg' && store !== 'sqlite') throw new TypeError('--store: expected pg or sqlite');
const bundle = await bundleProcess('audit-worker.ts');
const config = {
  store,
  events: whole(values.events, 100_000),
  kills: whole(values.kills, 100),
  hours: whole(values.hours, 72),
  seed: whole(values.seed, Math.floor(Date.now() / 1_000)),
  idleLimitMs: 120_000,
} as const;
const report = await runAuditSoak(config, bundle).finally(() => bundle.remove());
console.table(
  Object.entries(report).flatMap(([name, value]) => (name === 'config' ? Object.entries(value) : [[name, value]])),
);
const isGood = report.lost + report.stuck + report.otherKeys + report.deadLetters === 0;
process.exitCode = isGood ? 0 : 1;
