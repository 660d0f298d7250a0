// npm run soak:notify -- [--kills N] [--seed N] [--channel NAME] [--mutant NAME] [--json FILE]
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { bundleProcess } from '../worker-bundle.js';
import { mutants } from './notify-mutants.js';
import { soakedChannels } from './notify-work.js';
import { type ChannelFigures, isGood, soakChannels } from './run-notify-soak.js';

/** The table for a person. */
function renderFigures(figures: readonly ChannelFigures[]): string {
  const head = ['channel', 'kills', 'frozen', 'refused', 'sent', 'lost', 'doubled', 'unflagged', 'flagged', ''];
  const rows = figures.map((one) => [
    ...[one.channel, one.kills, one.freezes, one.refused, one.sent, one.lost, one.doubled, one.unflagged, one.flagged],
    isGood(one) ? 'good' : 'MISSED',
  ]);
  const widths = head.map((name, at) => Math.max(name.length, ...rows.map((row) => String(row[at]).length)));
  return [head, ...rows]
    .map((row) => row.map((cell, at) => String(cell).padEnd(widths[at] ?? 0)).join('  '))
    .join('\n');
}

const text = { type: 'string' } as const;
const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: { kills: text, seed: text, channel: text, mutant: text, json: text },
});
const channels = soakedChannels.filter((name) => values.channel === undefined || name === values.channel);
const mutant = values.mutant === undefined ? null : mutants[values.mutant];
const [kills, seed] = [Number(values.kills ?? 1_000), Number(values.seed ?? Math.floor(Date.now() / 1_000))];
if (channels.length === 0) throw new TypeError(`--channel: expected one of ${soakedChannels.join(', ')}`);
if (mutant === undefined) throw new TypeError(`--mutant: expected one of ${Object.keys(mutants).join(', ')}`);
if (![kills, seed].every((number) => Number.isSafeInteger(number) && number > 0))
  throw new TypeError('--kills, --seed: expected whole numbers from 1');

const began = performance.now();
const seconds = (): number => Math.round((performance.now() - began) / 1_000);
const bundle = await bundleProcess('notify/notify-worker.ts', mutant === null ? [] : [mutant.edit]);
const soaked = channels.map((channel, at) => ({
  channel,
  kills: Math.floor(kills / channels.length) + (at < kills % channels.length ? 1 : 0),
  seed: seed + at,
  drainMs: 120_000,
}));
const tell = ({ channel }: { channel: string }, done: number): void => {
  if (done % 25 === 0) process.stderr.write(`${channel}: ${done} kills, ${seconds()} s\n`);
};
const figures = await soakChannels(bundle, soaked, tell).finally(() => bundle.remove());
process.stdout.write(`seed ${seed}, ${seconds()} s\n${renderFigures(figures)}\n`);
for (const { channel, complaints } of figures)
  for (const complaint of complaints) process.stdout.write(`${channel}: ${complaint}\n`);
if (values.json !== undefined)
  writeFileSync(values.json, `${JSON.stringify({ seed, seconds: seconds(), figures }, null, 2)}\n`);
process.exitCode = figures.every(isGood) ? 0 : 1;
