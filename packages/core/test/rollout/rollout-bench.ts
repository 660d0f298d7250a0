// `npm run bench:rollout [-- --runs 10000 --curve-runs 1000 --seed 1]`: how often the gates roll back a candidate that
// is as good as the baseline, and how soon one that is worse. Prints tables as docs/reference/benchmarks.md has them.
import { parseArgs } from 'node:util';
import { createSeededRandom } from '../../src/testing/support/seeded-random.js';
import { defaultGates } from './default-gates.js';
import { measureFalse, measureFound, type Side } from './simulate-rollout.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    'curve-runs': { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
  },
});
const runs = Number(values.runs);
const curveRuns = Number(values['curve-runs']);
const within = [30, 60, 120, 240, 480];
const headings = '30 min | 1 h | 2 h | 4 h | 8 h';

const createDice = () => createSeededRandom(Number(values.seed)).next;
const percent = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 2 : 1)} %`;
const countFalse = (good: Side, times: number): string =>
  percent(measureFalse(good, defaultGates, times, createDice()));
const countFound = (good: Side, bad: Side, times: number): string =>
  measureFound({ good, bad, within }, defaultGates, times, createDice()).map(percent).join(' | ');

function printRow(rejected: number, reviewsAnHour: number, times: number): void {
  const good: Side = { reviewsAnHour, rejected, findings: 3 };
  const found = countFound(good, { ...good, rejected: 3 * rejected }, times);
  console.log(`| ${percent(rejected)} | ${reviewsAnHour} | ${times} | ${countFalse(good, times)} | ${found} |`);
}

console.log(`Seed ${values.seed}; a slice of a tenth; times from the turn of the candidate.\n`);
console.log(
  `| baseline rejected | reviews an hour | rollouts | rolled back falsely in 24 h | threefold: ${headings} |`,
);
console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |');
printRow(0.1, 100, runs);
for (const reviewsAnHour of [100, 50, 20])
  for (const rejected of [0.01, 0.02, 0.05, 0.1, 0.2]) printRow(rejected, reviewsAnHour, curveRuns);

const good: Side = { reviewsAnHour: 100, rejected: 0.05, findings: 3 };
console.log(
  `\n| what is wrong, 100 reviews an hour, 5 % rejected | ${headings} |\n| --- | --- | --- | --- | --- | --- |`,
);
console.log(`| a third of the findings | ${countFound(good, { ...good, findings: 1 }, curveRuns)} |`);
console.log(`| no findings | ${countFound(good, { ...good, findings: 0 }, curveRuns)} |`);
console.log(`| every reply rejected | ${countFound(good, { ...good, rejected: 1 }, curveRuns)} |`);
const clustered: Side = { reviewsAnHour: 100, rejected: 0.1, findings: 3, isClustered: true };
console.log(
  `\nOne to eight replies a review that fail together, 10 % rejected: ${countFalse(clustered, curveRuns)} falsely.`,
);
