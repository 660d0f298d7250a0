// npm run bench:review -- [--changes N] [--seed S] [--levels a,b] [--reviewers oracle,chatty]
//   [--at-once N] [--missing] [--json FILE]
// Reviews changes with planted defects and says what was found. The model is that of the service's
// variables (LLM_PROTOCOL and so on); without them the built-in reviewers stand in.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createLogSecurityEvents, silentLogger } from '@criticizer/core';
import { createModels } from '../../src/compose/configured-parts.js';
import { settingsSchema } from '../../src/config/environment.js';
import { readModels } from '../../src/config/model-variables.js';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { readSettings } from '../../src/config/read-settings.js';
import { UsageError } from '../../src/config/usage-error.js';
import { type BuiltInReviewer, builtInReviewers } from './built-in-reviewers.js';
import { type ContextLevel, contextLevels } from './context-levels.js';
import { type BenchChange, makeChanges } from './make-changes.js';
import { renderEvidence, renderTable } from './report.js';
import { type BenchRow, type Reviewer, runBuiltIn, runReviewer } from './run-bench.js';

function readWhole(name: string, text: string, least = 1): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least)
    throw new UsageError([`--${name}: expected a whole number from ${least}, got ${text}`]);
  return value;
}

function readNames<T extends string>(name: string, text: string, known: readonly T[]): readonly T[] {
  return text.split(',').map((one) => {
    const found = known.find((candidate) => candidate === one);
    if (found === undefined) throw new UsageError([`--${name}: ${one} is none of ${known.join(', ')}`]);
    return found;
  });
}

function readArguments() {
  const { values } = parseArgs({
    args: process.argv.slice(2).filter((arg) => arg !== '--'),
    options: {
      changes: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
      levels: { type: 'string', default: contextLevels.join(',') },
      reviewers: { type: 'string' },
      'at-once': { type: 'string', default: '4' },
      missing: { type: 'boolean', default: false },
      json: { type: 'string' },
    },
  });
  return {
    changes: readWhole('changes', values.changes),
    seed: readWhole('seed', values.seed, 0),
    levels: readNames('levels', values.levels, contextLevels),
    reviewers: values.reviewers === undefined ? null : readNames('reviewers', values.reviewers, builtInReviewers),
    atOnce: readWhole('at-once', values['at-once']),
    missing: values.missing,
    json: values.json,
  };
}

/** The model of the environment; null where it names none. Throws `UsageError`. */
function readModelReviewer(env: NodeJS.ProcessEnv, atOnce: number): Reviewer | null {
  if ((env['LLM_PROTOCOL'] ?? '') === '') return null;
  const models = readModels(env);
  const settings = readSettings(parseEnvironment(settingsSchema, env), models);
  const llm = createModels(
    { models, secretPolicy: { onExpiry: 'warn', warnAfterDays: 80, maxAgeDays: 90 } },
    { securityEvents: createLogSecurityEvents(silentLogger), logger: silentLogger },
  );
  if (llm === 'none') return null;
  const prices = models.flatMap(({ id, price }) => (price === null ? [] : [[id, price] as const]));
  const name = models.map(({ model }) => model).join(' / ');
  return { name, llm, settings, prices: Object.fromEntries(prices), atOnce };
}

function showProgress(title: string, total: number): (ended: number) => void {
  const step = Math.max(1, Math.floor(total / 10));
  return (ended) => {
    if (ended % step === 0 || ended === total) console.error(`${title}: ${ended} of ${total}`);
  };
}

async function runAll(
  changes: readonly BenchChange[],
  levels: readonly ContextLevel[],
  { model, names }: { model: Reviewer | null; names: readonly BuiltInReviewer[] },
): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const level of levels) {
    for (const name of names)
      rows.push(
        await runBuiltIn(name, { changes, level, onReview: showProgress(`${name}, ${level}`, changes.length) }),
      );
    const onReview = showProgress(`${model?.name}, ${level}`, changes.length);
    if (model !== null) rows.push(await runReviewer(model, { changes, level, onReview }));
  }
  return rows;
}

async function main(): Promise<void> {
  const args = readArguments();
  const model = readModelReviewer(process.env, args.atOnce);
  // The oracle beside a model says what could be found at all.
  const names = args.reviewers ?? (model === null ? builtInReviewers : (['oracle'] as const));
  const changes = makeChanges(args);
  const truth = changes.flatMap((one) => one.truth);
  const crossFile = truth.filter(({ isCrossFile }) => isCrossFile).length;
  const kinds = new Set(truth.map(({ kind }) => kind)).size;
  console.log(
    `${changes.length} changes of seed ${args.seed}: ${truth.length} defects of ${kinds} kinds, ${crossFile} across files`,
  );
  const rows = await runAll(changes, args.levels, { model, names });
  console.log(`\n${renderTable(rows)}\n`);
  for (const row of rows.filter(({ reviewer }) => reviewer === 'oracle'))
    console.log(renderEvidence(row, { names: args.missing }));
  for (const { reviewer, level, reviews } of rows)
    for (const { number, failure } of reviews)
      if (failure !== null) console.log(`${reviewer}, ${level}: change ${number} failed: ${failure}`);
  if (args.json !== undefined) {
    const { changes: count, seed, levels } = args;
    writeFileSync(
      args.json,
      `${JSON.stringify({ name: 'bench:review', changes: count, seed, levels, rows }, null, 2)}\n`,
    );
  }
}

try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  for (const line of error.lines) console.error(line);
  process.exitCode = 2;
}
