import { type Criticizer, type StoredReview, silentLogger } from '@criticizer/core';
import { pipelineActor } from '@criticizer/core/artifacts';
import { formatReview, isDepotFolder, type ReviewFormat, reviewFormats } from '@criticizer/core/formats';
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
import { countReview, type Excerpts, type PrintedLevel, printedLevels, renderFindings } from './render-findings.js';

/** `text`: for a terminal. */
type PrintedFormat = 'text' | ReviewFormat;

/** What of a review is printed, and how. */
interface Printing {
  format: PrintedFormat;
  content: PrintedLevel;
  root: string | undefined;
}

/** Throws `UsageError` for sums in a format that has findings. */
function readPrinting(args: {
  format: PrintedFormat;
  json?: boolean | undefined;
  content: PrintedLevel;
  root?: string | undefined;
}): Printing {
  const { content, root } = args;
  const format = args.json === true ? 'json' : args.format;
  if (args.json === true && args.format !== 'text' && args.format !== 'json')
    throw new UsageError([`--json is --format json; --format ${args.format} asks for another.`]);
  if (content === 'counts' && format !== 'text' && format !== 'json')
    throw new UsageError([`--content counts has no findings to print as ${format}; use text or json.`]);
  if (root !== undefined && !isDepotFolder(root))
    throw new UsageError(['--root must be a depot folder without a slash at its end, such as //depot/main.']);
  return { format, content, root };
}

function printReview(terminal: Terminal, printing: Printing, review: StoredReview, excerpts: Excerpts): void {
  const { format, content, root } = printing;
  const isCounted = content === 'counts';
  if (format === 'text') print(terminal, {}, null, renderFindings(review, content, excerpts));
  else if (isCounted) print(terminal, { json: true }, countReview(review), '');
  else terminal.write(formatReview(review, format, { root, excerpts }));
}

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
  printing: Printing,
  single: SingleReview,
  change: { serverId: string; number: number },
): Promise<ExitCode> {
  const { jobId, failure } = await runReview(single.criticizer, change);
  const review = await single.criticizer.review(jobId, { actor: pipelineActor });
  if (failure !== null || review === null) {
    if (printing.format === 'json') print(terminal, { json: true }, { failure }, '');
    terminal.warn(`The review did not end well: ${failure}. See docs/reference/errors.md.\n`);
    return 1;
  }
  const excerpts: Excerpts =
    printing.content === 'code' ? await single.criticizer.excerpts(jobId, { actor: pipelineActor }) : new Map();
  printReview(terminal, printing, review, excerpts);
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
      format: {
        type: 'enum',
        options: ['text', ...reviewFormats],
        default: 'text',
        description: 'What is printed: for people, or for a tool.',
      },
      root: {
        type: 'string',
        description: 'Depot folder that paths in a format for tools are relative to.',
        valueHint: '//depot/main',
      },
      ...jsonArgument,
    },
    async (args) => {
      const printing = readPrinting(args);
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
      return await show(terminal, printing, single, change); // before the stores are closed
    },
  );
