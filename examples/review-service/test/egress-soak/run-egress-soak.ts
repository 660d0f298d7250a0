// npm run soak:egress -- [--kills N] [--seed N]
import { parseArgs } from 'node:util';
import { runEgressSoak } from './egress-soak.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1_000)) },
  },
});
const began = performance.now();
const figures = await runEgressSoak({ kills: Number(values.kills), seed: Number(values.seed) }, (done) => {
  if (done % 50 === 0) process.stderr.write(`${done} kills, ${Math.round((performance.now() - began) / 1_000)} s\n`);
});
console.log(JSON.stringify({ ...figures, seconds: Math.round((performance.now() - began) / 1_000) }, null, 2));
process.exitCode = figures.unrecorded + figures.complaints.length > 0 ? 1 : 0;
