// Measures the redactor beside secretlint, prints the table on standard output, writes the JSON.
// Started by redact.mjs, which installs what this imports.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createRedactor } from '@criticizer/redact';
import { machine, versionOf } from '../machine.ts';
import { type Configured, createRows, judge, judgeRatio, type Target } from '../measurement.ts';
import { sectionJson, sectionText, targetsText } from '../report.ts';
import { median } from '../statistics.ts';
import { coldStartTimes } from './cold-start.ts';
import { labelledCorpus } from './corpus/index.ts';
import type { LabelledText } from './corpus/labelled-text.ts';
import { seededRandom } from './corpus/random.ts';
import { benignFiles } from './grammar/benign.ts';
import { grammarCorpus } from './grammar/index.ts';
import { hostileTimes } from './hostile.ts';
import { isSmall, ordinarySource, SMALL } from './ordinary-source.ts';
import { damageTo } from './over-redaction.ts';
import { passesAlone, startProcess, WARMING } from './own-process.ts';
import { judge as judgeTexts, recallByFamily } from './recall.ts';
import { bareLoop, ours, secretlint, secretlintAsShipped } from './throughput.ts';

const HELP = `npm run bench:redact -- [options]

  --quick       2 MB of source, one round, a small corpus: shows that all of it runs
  --rounds N    rounds of the throughput, ours and secretlint's in turn (5)
  --seed N      seed of the labelled corpus (1)
  --places      lists every changed line of ordinary source
  --missed      lists every secret that was not found
  --json FILE   writes the results
  --check       exit code 1 where a target fails
  --prepared    the packages as packed by the last run, not as they are now
  --help`;

/** Least recall by family, in percent; families without one are in the sum. */
const RECALL: Readonly<Record<string, number>> = {
  'vendor-prefix': 99,
  'keyed-assign': 96,
  'near-keyword': 85,
  'password-assign, strong': 97,
  'password-assign, weak': 80,
  'bare-assign': 45,
  bare: 55,
  'url-auth': 97,
  'auth-header': 96,
  'command-line': 96,
  jwt: 100,
  'webhook-url': 100,
  pem: 100,
  perforce: 100,
  smtp: 100,
  'credential-file': 95,
  encoded: 95,
  diff: 95,
};

/** The same for the corpus written from grammars and vendors' documents alone. */
const GRAMMAR_RECALL: Readonly<Record<string, number>> = {
  pem: 100,
  jwt: 100,
  'url-auth': 97,
  'auth-header': 96,
  'command-line': 96,
};

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seed: { type: 'string', default: '1' },
    places: { type: 'boolean', default: false },
    missed: { type: 'boolean', default: false },
    json: { type: 'string' },
    check: { type: 'boolean', default: false },
    prepared: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const { quick } = options;
const rounds = Number(options.rounds ?? (quick ? 1 : 5));
const redactor = createRedactor({ fingerprintKey: 'fingerprint key of the bench' });
const targets: Target[] = [];
const sections: Parameters<typeof sectionText>[0][] = [];

function add(
  name: string,
  title: string,
  table: ReturnType<typeof createRows>,
  notes: string[] = [],
  contenders: readonly Configured[] = [],
): void {
  const section = { name, title, rows: table.rows, contenders, targets: [], notes };
  sections.push(section);
  console.log(sectionText(section));
}

function goal(id: string, says: string, value: number | null, target: number, better: 'higher' | 'lower'): void {
  targets.push(judge({ id, says, target, better }, value));
}

const EVERY_FILE = 'every file';
const SMALL_FILES = `files of ${SMALL} characters or less`;

async function throughput(): Promise<void> {
  const bytes = quick ? 2e6 : 20e6;
  const files = ordinarySource(bytes);
  const table = createRows();
  const contenders = [ours, secretlint, secretlintAsShipped, bareLoop];
  const notes: string[] = [];
  const running = await Promise.all(
    contenders.map(async (one) => ({ ...one, own: await startProcess(one.name, bytes) })),
  );
  for (let turn = 0; turn < WARMING; turn += 1) for (const { own } of running) await own.pass('every file');
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, library, own } of running) {
      const { megabytesPerSecond, findings } = await own.pass('every file');
      table.row(name, EVERY_FILE, 'MB/s').rounds.push(megabytesPerSecond);
      table.row(name, SMALL_FILES, 'MB/s').rounds.push((await own.pass('small files')).megabytesPerSecond);
      if (round === 0 && library !== undefined) notes.push(`${name} reports ${findings}`);
    }
  }
  for (const { own } of running) own.end();
  goal('speed', 'MB/s on mixed source', median(table.row(ours.name, EVERY_FILE, 'MB/s').rounds), 150, 'higher');
  const ratio = {
    id: 'speed-ratio',
    says: "times secretlint's recommended preset as it ships, in the same run",
    target: 7,
  };
  const asShipped = table.row(secretlintAsShipped.name, EVERY_FILE, 'MB/s');
  targets.push(judgeRatio({ ...ratio, better: 'higher' }, table.row(ours.name, EVERY_FILE, 'MB/s'), asShipped));
  for (const what of [EVERY_FILE, SMALL_FILES]) {
    const peer = table.row(secretlint.name, what, 'MB/s').rounds;
    const times = table.row(ours.name, what, 'MB/s').rounds.map((speed, round) => speed / (peer[round] as number));
    table.row(`${ours.name} / ${secretlint.name}`, what, 'times').rounds.push(...times);
  }
  const megabytes = files.reduce((sum, { text }) => sum + text.length, 0) / 1e6;
  notes.push(
    `${files.filter(isSmall).length} of the ${files.length} files are small`,
    'each has a process of its own, as with a host, and one works at a time: what one leaves in the heap slows no other',
  );
  add('throughput', `Throughput over ${files.length} files, ${megabytes.toFixed(1)} MB`, table, notes, contenders);
}

async function jsonThroughput(): Promise<void> {
  const objects = quick ? 2000 : 40_000;
  const table = createRows();
  const names = table.row('criticizer', 'JSON key redaction with paths', 'MB/s');
  names.rounds.push(...(await passesAlone('names of objects', objects, rounds)));
  const texts = table.row('criticizer', 'JSON, its texts read by every rule, the paths attached', 'MB/s');
  texts.rounds.push(...(await passesAlone('names and texts of objects', objects, rounds)));
  goal('json-speed', 'MB/s of JSON key redaction with paths', median(names.rounds), 90, 'higher');
  add('json-throughput', `Throughput over ${objects} objects`, table);
}

function overRedaction(): void {
  const damage = damageTo(redactor, ordinarySource(quick ? 2e6 : 20e6));
  const table = createRows();
  const { megabytes, places, ...counts } = damage;
  for (const [what, count] of Object.entries(counts)) table.row('criticizer', what, '').rounds.push(count);
  goal('over-redaction', 'changed lines per MB of ordinary source', damage.changedLines / megabytes, 0.7, 'lower');
  goal(
    'quiet-files',
    'changed lines in lock files, minified code, styles, SVG, SQL',
    damage.changedInQuietFiles,
    0,
    'lower',
  );
  goal(
    'broken',
    'broken JSON, quotes, line counts, texts that a second pass changes',
    damage.brokenJson + damage.brokenQuotes + damage.changedLineCounts + damage.notIdempotent,
    0,
    'lower',
  );
  const benign = damageTo(redactor, benignFiles(seededRandom(Number(options.seed))));
  table.row('benign lines', 'changed', '').rounds.push(benign.changedLines);
  goal('benign', 'changed lines of those that only look like secrets', benign.changedLines, 0, 'lower');
  add(
    'over-redaction',
    `Over-redaction of ${megabytes.toFixed(1)} MB of ordinary source`,
    table,
    options.places ? [...places, ...benign.places] : [],
  );
}

/** Recall on a labelled corpus; with `families`, each has its own target. */
function recall(name: string, texts: readonly LabelledText[], least: Readonly<Record<string, number>>): void {
  const outcomes = judgeTexts(redactor, texts);
  const { families, all } = recallByFamily(outcomes);
  const table = createRows();
  for (const { family, found, total, macro, damaged } of [all, ...families]) {
    table.row(family, `of ${total}`, '%').rounds.push((100 * found) / total);
    if (family === 'all') table.row(family, 'macro over rules', '%').rounds.push(100 * macro);
    const wanted = least[family];
    if (wanted !== undefined)
      goal(`${name}: ${family}`, `% of ${total} found`, (100 * found) / total, wanted, 'higher');
    if (damaged > 0) table.row(family, 'texts with a line changed beside the secret', '').rounds.push(damaged);
  }
  goal(`${name}, micro`, '% of the labelled corpus', (100 * all.found) / all.total, 95, 'higher');
  goal(`${name}, macro`, '% over its rules', 100 * all.macro, 88, 'higher');
  goal(`${name}, intact`, 'texts in which a line without a secret changed', all.damaged, 0, 'lower');
  const missed = outcomes
    .filter(({ found }) => !found)
    .map(({ sample }) => `${sample.family} / ${sample.rule}: ${JSON.stringify(sample.text).slice(0, 160)}`);
  add(name, `${name} on ${all.total} generated texts, seed ${options.seed}`, table, options.missed ? missed : []);
}

function hostile(): void {
  const table = createRows();
  const times = hostileTimes(redactor, 524_288, quick ? 1 : 5);
  const slowest = [...times].sort((a, b) => b.ms - a.ms).slice(0, 5);
  for (const { unit, ms } of slowest) table.row(JSON.stringify(unit), '512 k characters', 'ms').rounds.push(ms);
  goal(
    'hostile',
    'ms for the slowest hostile text of 512 k characters',
    (slowest[0] as { ms: number }).ms,
    40,
    'lower',
  );
  const grown = times.filter(({ ms }) => ms > 4).map(({ growth }) => growth);
  goal('hostile-growth', 'times the time for four times the text', Math.max(0, ...grown), 4.6, 'lower');
  add('hostile', `The slowest of ${times.length} hostile texts`, table);
}

function coldStart(): void {
  const table = createRows();
  for (let round = 0; round < (quick ? 1 : 9); round += 1)
    for (const [step, ms] of Object.entries(coldStartTimes())) table.row('criticizer', step, 'ms').rounds.push(ms);
  goal(
    'cold-start',
    'ms to import and build',
    median(table.row('criticizer', 'import and build', 'ms').rounds),
    10,
    'lower',
  );
  add('cold-start', 'Cold start', table);
}

async function main(): Promise<number> {
  const versions = {
    node: process.version,
    '@criticizer/redact': versionOf('@criticizer/redact'),
    '@secretlint/core': versionOf('@secretlint/core'),
  };
  console.log([JSON.stringify(machine()), JSON.stringify(versions)].join('\n'));
  await throughput();
  await jsonThroughput();
  coldStart();
  hostile();
  overRedaction();
  recall('recall', labelledCorpus(Number(options.seed), quick ? 1 : 4), RECALL);
  recall('recall by grammar', grammarCorpus(Number(options.seed), quick ? 1 : 4), GRAMMAR_RECALL);
  console.log(targetsText(targets));
  if (options.json !== undefined) {
    const report = {
      name: 'redact',
      date: new Date().toISOString(),
      machine: machine(),
      versions,
      config: { rounds, quick, seed: options.seed },
      results: sections.map(sectionJson),
      targets,
    };
    writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  }
  return options.check && targets.some(({ pass }) => pass !== true) ? 1 : 0;
}

if (options.help) console.log(HELP);
else process.exitCode = await main();
