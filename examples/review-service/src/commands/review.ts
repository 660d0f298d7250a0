import { type Criticizer, silentLogger } from '@criticizer/core';
import { pipelineActor } from '@criticizer/core/artifacts';
import type { MemoryTx } from '@criticizer/core/ports';
import { reviewSecrets } from '../compose/configured-parts.js';
import { migrateStores } from '../compose/migrate-stores.js';
import { openStores } from '../compose/open-stores.js';
import { requireSecrets } from '../compose/require-secrets.js';
import { composeSingleReview, type SingleReview } from '../compose/single-review.js';
import { readChange } from '../config/change-reference.js';
import { UsageError } from '../config/usage-error.js';
import {
  changeArguments,
  createCommand,
  createTerminalLogger,
  type ExitCode,
  jsonArgument,
  print,
  readTerminalConfiguration,
  type Terminal,
} from './command-line.js';
import { describeChecks, describeEgress } from './describe-egress.js';
import { type Excerpts, type PrintedLevel, printedLevels, renderFindings, toPrinted } from './render-findings.js';

/** True where the person agrees, or said so before. Throws `UsageError` where nobody can be asked. */
async function agree(terminal: Terminal, question: string, yes: boolean | undefined): Promise<boolean> {
  if (yes === true) {
    terminal.warn(`${question}\n`);
    return true;
  }
  const answer = await terminal.ask(`${question} Continue? [y/N] `);
  if (answer === null) throw new UsageError([`${question} Add --yes to send it without a terminal.`]);
  return /^y(?:es)?$/i.test(answer.trim());
}

async function runReview(
  criticizer: Criticizer<MemoryTx>,
  change: { serverId: string; number: number },
): Promise<{ jobId: string; failure: string | null }> {
  const { job } = await criticizer.submit({ ...change, reviewVersion: 1 });
  await criticizer.runDue();
  const status = await criticizer.status(job.id);
  const after = status?.job;
  if (after?.status === 'completed') return { jobId: job.id, failure: null };
  return { jobId: job.id, failure: after?.waitingFor ?? after?.lastFailure?.code ?? 'UNKNOWN' };
}

async function show(
  terminal: Terminal,
  args: { json?: boolean | undefined; content: PrintedLevel },
  single: SingleReview,
  change: { serverId: string; number: number },
): Promise<ExitCode> {
  const { jobId, failure } = await runReview(single.criticizer, change);
  const review = await single.criticizer.review(jobId, { actor: pipelineActor });
  if (failure !== null || review === null) {
    if (args.json === true) print(terminal, args, { failure }, '');
    terminal.warn(`The review did not end well: ${failure}. See docs/reference/errors.md.\n`);
    return 1;
  }
  const level = args.content;
  const excerpts: Excerpts =
    level === 'code' ? await single.criticizer.excerpts(jobId, { actor: pipelineActor }) : new Map();
  print(terminal, args, toPrinted(review, level, excerpts), renderFindings(review, level, excerpts));
  return 0;
}

/** Reviews a change now; the findings go to the terminal and nobody is mailed. */
export const review = (terminal: Terminal) =>
  createCommand(
    { name: 'review', description: 'Reviews a change now and prints the findings; nobody is mailed.' },
    {
      ...changeArguments,
      yes: { type: 'boolean', description: 'Send without a question.' },
      content: {
        type: 'enum',
        options: [...printedLevels],
        default: 'code',
        description: 'How much is printed; `findings` has no code, `counts` the sums alone.',
      },
      ...jsonArgument,
    },
    async (args) => {
      const configuration = readTerminalConfiguration(terminal);
      const { server, number } = readChange(configuration, args);
      await requireSecrets(reviewSecrets(configuration, server));
      await using opened = openStores(configuration.database);
      if (configuration.migrates)
        await migrateStores(opened.stores, { audit: configuration.audit, logger: createTerminalLogger(terminal) });
      const single = await composeSingleReview({ configuration, server, stores: opened.stores, logger: silentLogger });
      const change = { serverId: server.serverId, number };
      const run = await single.criticizer.dryRun({ ...change, signal: terminal.signal });
      if (run.kind === 'skipped') {
        print(terminal, args, run, `Not reviewed: ${run.reason}. ${run.detail}`);
        return 3;
      }
      const question = `Sends ${describeEgress(run, configuration)}; a reply that does not fit is asked for again${describeChecks(run)}. Nothing else leaves.`;
      if (run.requests.length > 0 && !(await agree(terminal, question, args.yes))) {
        terminal.warn('Nothing was sent.\n');
        return 1;
      }
      return await show(terminal, args, single, change); // before the stores are closed
    },
  );
