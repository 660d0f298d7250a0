// `prompt ACTION`: the rollout of a new prompt.
import type { Operator } from '@criticizer/core';
import { UsageError } from '../config/usage-error.js';
import {
  type Command,
  createCommand,
  type ExitCode,
  jsonArgument,
  print,
  readActor,
  reasonArguments,
  type Terminal,
} from './command-line.js';
import { table, withOperator } from './operate.js';
import { readBenchFigures } from './read-bench.js';

type Status = Awaited<ReturnType<Operator['readPromptStatus']>>;

const actions = ['status', 'start', 'promote', 'rollback', 'release'] as const;
const next: Readonly<Record<string, string>> = {
  started: 'New reviews of the slice get it within 2 seconds; those under way keep their prompt.',
  latched: 'A gate rolled this candidate back; see prompt status, then prompt release.',
  running: 'Another candidate has a slice: promote it or roll it back first.',
  promoted: 'Every new review gets it within 2 seconds.',
  'rolled-back': 'Every new review gets the baseline within 2 seconds; those under way keep their prompt.',
  'not-running': 'Nothing is rolled out.',
  released: 'The candidate may be started again.',
  'cooling-down': 'The cool-down has not ended: look at the cause, or use --override-cool-down.',
  'not-latched': 'No gate rolled anything back.',
};

const show = (rate: number | null): string => (rate === null ? '-' : String(Math.round(rate * 1_000) / 1_000));

function describeRollout({ rollout }: Status): string {
  if (rollout === null) return 'No rollout: everybody gets the default prompt of its process.';
  const { state, candidate, baseline, percentage, slice, since, by, reason, latch } = rollout;
  const what = state === 'running' ? `${percentage} % by ${slice} since ${since}` : state.replace('_', ' ');
  const lines = [`${candidate}: ${what}, baseline ${baseline}`, `by ${by.type} ${by.id}: ${reason}`];
  if (latch === null) return lines.join('\n');
  const rates = `${show(latch.candidate)}, baseline ${show(latch.baseline)}, limit ${show(latch.limit)}`;
  const window = `${latch.windowMs / 60_000} minutes`;
  const held = `latched at ${latch.at} by the gate ${latch.gate}: ${rates} of ${latch.sample} in ${window}`;
  return [...lines, held, `cool-down until ${latch.coolDownUntil}`].join('\n');
}

function describeStatus(status: Status): string {
  const { gates, processes } = status;
  const reports = (gates?.reports ?? []).map(({ gate, verdict, candidate, baseline, limit, sample }) => [
    ...[gate.padEnd(8), verdict.padEnd(12), `candidate ${show(candidate)}`, `baseline ${show(baseline)}`],
    ...[`limit ${show(limit)}`, `of ${sample}`],
  ]);
  const known = [...processes].map(([id, { at, variants }]) => [id, at, variants.join(', ')]);
  return [
    describeRollout(status),
    ...(gates === null ? [] : [`Promotion: ${gates.outcome}\n${table(reports)}`]),
    `Processes, and the prompts they know, the default one first\n${table(known)}`,
  ].join('\n\n');
}

async function showStatus(terminal: Terminal, args: { json?: boolean | undefined }): Promise<ExitCode> {
  const status = await withOperator(terminal, (operator) => operator.readPromptStatus());
  print(terminal, args, { ...status, processes: Object.fromEntries(status.processes) }, describeStatus(status));
  return 0;
}

/** What `start` reads of the command line. Throws `UsageError`. */
function readStart(args: Readonly<Record<string, unknown>>) {
  const read = (name: string): string | undefined => {
    const value = args[name];
    return typeof value === 'string' && value.trim() !== '' ? value : undefined;
  };
  const [candidate, percentage, slice] = [read('candidate'), read('percentage'), read('slice') ?? 'author'];
  if (candidate === undefined) throw new UsageError(['--candidate: is required: a name of prompt status']);
  if (percentage === undefined) throw new UsageError(['--percentage: is required: 0 to 100']);
  if (slice !== 'author' && slice !== 'path') throw new UsageError(['--slice: expected author or path']);
  const files = [read('bench'), read('bench-baseline')] as const;
  if ((files[0] === undefined) !== (files[1] === undefined))
    throw new UsageError(['--bench, --bench-baseline: expected both, or none']);
  const bench =
    files[0] === undefined || files[1] === undefined
      ? undefined
      : {
          candidate: readBenchFigures('bench', files[0]),
          baseline: readBenchFigures('bench-baseline', files[1]),
        };
  return { candidate, percentage: Number(percentage), slice, baseline: read('baseline'), bench } as const;
}

/** Shows, starts, promotes or rolls back a new prompt, or releases the latch of a gate. */
export const prompt = (terminal: Terminal): Command =>
  createCommand(
    { name: 'prompt', description: 'Rolls a new prompt out to some of the reviews: status, start, promote, rollback.' },
    {
      action: { type: 'positional', description: actions.join(', '), required: true },
      reason: { ...reasonArguments.reason, required: false },
      actor: reasonArguments.actor,
      candidate: { type: 'string', description: 'start: name of the new prompt.', valueHint: 'NAME' },
      percentage: { type: 'string', description: 'start: its share, 0 to 100.', valueHint: 'N' },
      slice: { type: 'string', description: 'start: by author (default) or path.', valueHint: 'WORD' },
      baseline: {
        type: 'string',
        description: 'start: what others get; default what they get now.',
        valueHint: 'NAME',
      },
      bench: { type: 'string', description: 'start: JSON of bench:review with the candidate.', valueHint: 'FILE' },
      'bench-baseline': { type: 'string', description: 'start: the same with the baseline.', valueHint: 'FILE' },
      force: { type: 'boolean', description: 'promote: although the gates do not say yes.' },
      'override-cool-down': { type: 'boolean', description: 'release: before the cool-down ends.' },
      ...jsonArgument,
    },
    async (args): Promise<ExitCode> => {
      const { action, reason, force } = args;
      if (!actions.some((known) => known === action))
        throw new UsageError([`ACTION: expected one of ${actions.join(', ')}`]);
      if (action === 'status') return showStatus(terminal, args);
      if (reason === undefined) throw new UsageError(['--reason: is required']);
      const by = { actor: readActor(args), reason };
      const start = action === 'start' ? readStart(args) : null;
      const done = await withOperator(terminal, async (operator): Promise<{ outcome: string; audit: string }> => {
        if (start !== null) return operator.startPromptRollout({ ...start, ...by });
        if (action === 'promote') return operator.promotePrompt({ ...by, force });
        if (action === 'rollback') return operator.rollBackPrompt(by);
        return operator.releasePromptLatch({ ...by, overrideCoolDown: args['override-cool-down'] });
      });
      print(terminal, args, done, `${done.outcome} (audit: ${done.audit}). ${next[done.outcome] ?? ''}`);
      return done.audit === 'none' ? 3 : 0;
    },
  );
