// npm run bench:identity -- [--files N] [--seed S] How many findings are matched over versions of a
// change, by variation, and how many matches are wrong; then the same by id alone.
import { parseArgs } from 'node:util';
import { type IdentityRow, matchById, measureIdentity } from './measure-identity.js';

const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;

function sum(rows: readonly IdentityRow[]): IdentityRow {
  const total = { variation: 'all', pairs: 0, matched: 0, uncertain: 0, false: 0, matches: 0 };
  for (const row of rows)
    for (const key of ['pairs', 'matched', 'uncertain', 'false', 'matches'] as const) total[key] += row[key];
  return total;
}

function main(): void {
  const { values } = parseArgs({
    options: { files: { type: 'string' }, seed: { type: 'string' } },
    args: process.argv.slice(2).filter((arg) => arg !== '--'),
  });
  const [files, seed] = [Number(values.files ?? 400), Number(values.seed ?? 1)];
  if (!(Number.isSafeInteger(files) && files > 0 && Number.isSafeInteger(seed)))
    throw new TypeError('usage: npm run bench:identity -- [--files N] [--seed S]');
  const rows = measureIdentity(files, seed);
  const byId = measureIdentity(files, seed, matchById);
  console.log('| variation | pairs | matched | uncertain | false | by id: matched | false |');
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  [...rows, sum(rows)].forEach((row, at) => {
    const old = byId[at] ?? sum(byId);
    const cells = [
      ...[row.variation, String(row.pairs), percent(row.matched, row.pairs), percent(row.uncertain, row.pairs)],
      ...[percent(row.false, row.matches), percent(old.matched, old.pairs), percent(old.false, old.matches)],
    ];
    console.log(`| ${cells.join(' | ')} |`);
  });
}

main();
