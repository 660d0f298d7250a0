// `npm run soak:operate -- [--letters N] [--kills N] [--store pg|sqlite] [--seed N]`
import { readOptions } from './read-options.js';
import { runOperateSoak } from './run-operate-soak.js';
import { bundleProcess } from './worker-bundle.js';

const config = { ...readOptions(process.argv.slice(2), { letters: 5_000, kills: 60 }), idleLimitMs: 60_000 };
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
