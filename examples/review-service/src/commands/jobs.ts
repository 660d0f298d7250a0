// The verbs of a person over jobs: cancel one, run a review again, move one in the queue.
import { buildChangelistId } from '@criticizer/core/ports';
import { readChange } from '../config/change-reference.js';
import { UsageError } from '../config/usage-error.js';
import {
  type Command,
  changeArguments,
  createCommand,
  type ExitCode,
  jsonArgument,
  print,
  readActor,
  readTerminalConfiguration,
  reasonArguments,
  type Terminal,
} from './command-line.js';
import { withOperator } from './operate.js';

const jobArgument = {
  job: { type: 'positional', description: 'Id of the job, as why --json shows it.', required: true },
} as const;

/** What each outcome of a cancel means, for a person. */
const cancelled: Readonly<Record<string, string>> = {
  cancelled: 'Cancelled: it was queued.',
  'cancel-requested': 'It is running: its worker gives it up at its next heartbeat, and it ends as cancelled.',
  'already-requested': 'It is running, and somebody asked for its end before.',
  'not-open': 'It has ended.',
  'not-found': 'No such job.',
};

/** Cancels a queued or running job. */
export const cancel = (terminal: Terminal): Command =>
  createCommand(
    { name: 'cancel', description: 'Ends a queued job at once, a running one at its next heartbeat.' },
    { ...jobArgument, ...reasonArguments, ...jsonArgument },
    async (args) => {
      const request = { jobId: args.job, actor: readActor(args), reason: args.reason };
      const done = await withOperator(terminal, (operator) => operator.cancelJob(request));
      print(terminal, args, done, `${cancelled[done.outcome] ?? done.outcome} (audit: ${done.audit})`);
      return done.outcome === 'cancelled' || done.outcome === 'cancel-requested' ? 0 : 3;
    },
  );

/** Reviews a change again, as its next version. */
export const rerun = (terminal: Terminal): Command =>
  createCommand(
    { name: 'rerun', description: 'Reviews a change again, as its next version; its mails go again.' },
    { ...changeArguments, ...reasonArguments, ...jsonArgument },
    async (args): Promise<ExitCode> => {
      const { server, number } = readChange(readTerminalConfiguration(terminal), args);
      const changelistId = buildChangelistId({ serverId: server.serverId, number });
      const done = await withOperator(terminal, async (operator, stores) => {
        const newest = await stores.jobs.latestVersion(changelistId);
        if (newest === null) return null;
        const request = { jobId: newest.id, actor: readActor(args), reason: args.reason };
        return operator.rerunJob(request);
      });
      if (done === null) {
        print(terminal, args, { outcome: 'not-found' }, `No review of ${changelistId} is stored.`);
        return 3;
      }
      const text = done.job === null ? done.outcome : `queued as v${done.job.reviewVersion}, job ${done.job.id}`;
      print(terminal, args, done, `${text} (audit: ${done.audit})`);
      return done.outcome === 'queued' ? 0 : 3;
    },
  );

/** A priority. Throws `UsageError`. */
function readPriority(text: string): number {
  if (!/^-?\d{1,10}$/.test(text) || Math.abs(Number(text)) > 2_147_483_647)
    throw new UsageError(['N: expected a whole number; a higher one runs first']);
  return Number(text);
}

/** Moves a queued job in the queue. */
export const priority = (terminal: Terminal): Command =>
  createCommand(
    { name: 'priority', description: 'Sets the priority of a queued job; a higher one runs first.' },
    {
      ...jobArgument,
      n: { type: 'positional', description: 'A whole number; 0 by default.', required: true },
      ...reasonArguments,
      ...jsonArgument,
    },
    async (args): Promise<ExitCode> => {
      const next = readPriority(args.n);
      const done = await withOperator(terminal, async (operator, stores) => {
        const [job] = await stores.jobs.get([args.job]);
        const request = { jobId: args.job, seen: job?.priority ?? 0, priority: next };
        return operator.setPriority({
          ...request,
          actor: readActor(args),
          reason: args.reason,
        });
      });
      print(terminal, args, done, `${done.outcome} (audit: ${done.audit})`);
      return done.outcome === 'set' ? 0 : 3;
    },
  );
