// `npm run soak:operate -- [--letters N] [--kills N] [--store pg|sqlite] [--seed N]`
import { parseArgs } from 'node:util';
import { runOperateSoak } from './run-operate-soak.js';
import { bundleProcess } from './worker-bundle.js';

const text = { type: 'string' } as const;
const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: { letters: text, kills: text, store: text, seed: text },
});
const whole = (given: string | undefined, byDefault: number): number => {
  const value = Number(given ?? byDefault);
  if (!Number.isSafeInteger(value) || value < 1) throw new TypeError(`expected a whole number from 1, not ${given}`);
  return value;
};
const { store = 'pg' } = values;
if (store !== 'pg' && store !== 'sqlite') throw new TypeError('--store: expected pg or sqlite');
const config = {
  store,
  letters: whole(values.letters, 5_000),
  kills: whole(values.kills, 60),
  seed: whole(values.seed, Math.floor(Date.now() / 1_000)),
  idleLimitMs: 60_000,
} as const;
const worker = await bundleProcess('operate-worker.ts');
const operator = await bundleProcess('operate-script.ts');
const report = await runOperateSoak(config, [worker, operator]).finally(() => {
  worker.remove();
  operator.remove();
});
const { replaysBy, config: given, ...figures } = report;
console.table([...Object.entries(given), ...Object.entries(figures), ...Object.entries(replaysBy)]);
const { lost, replayedTwice, notResolved, notInTrail, failedAgain } = report;
process.exitCode = lost + replayedTwice + notResolved + notInTrail + failedAgain === 0 ? 0 : 1;
