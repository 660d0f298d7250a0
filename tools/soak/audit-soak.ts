// `npm run soak:audit -- [--events N] [--kills N] [--hours N] [--store pg|sqlite] [--seed N]`
import { readOptions } from './read-options.js';
import { runAuditSoak } from './run-audit-soak.js';
import { bundleProcess } from './worker-bundle.js';

const config = {
  ...readOptions(process.argv.slice(2), { events: 100_000, kills: 100, hours: 72 }),
  idleLimitMs: 120_000,
};
const bundle = await bundleProcess('audit-worker.ts');
const report = await runAuditSoak(config, bundle).finally(() => bundle.remove());
const { config: given, letterCodes, ...figures } = report;
console.table(Object.entries({ ...given, ...figures, letterCodes: JSON.stringify(letterCodes) }));
const isGood = report.lost + report.stuck + report.otherKeys + report.deadLetters === 0;
process.exitCode = isGood ? 0 : 1;
