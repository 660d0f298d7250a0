// Dead letters at the terminal: list, group, inspect, triage, replay, ignore.
import type { DeadLetterFilter, ReplayReport } from '@criticizer/core/ports';
import { createReplayProbe } from '../compose/replay-probe.js';
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
import {
  describeGroup,
  describeInspected,
  describeLetter,
  describeReplayed,
  describeReport,
} from './describe-letters.js';
import { limitArgument, readLimit, readStatus, table, tryConfiguration, withOperator, withStores } from './operate.js';

const statuses = ['open', 'triaged', 'replaying', 'resolved', 'ignored', 'failed-again', 'all'] as const;

const selectionArguments = {
  group: { type: 'string', description: 'Key of a cause, as letters --groups shows it.', valueHint: 'KEY' },
  stage: { type: 'string', description: 'Only of this stage: fetch, llm, notify.', valueHint: 'STAGE' },
  class: { type: 'string', description: 'Only of this error class.', valueHint: 'CLASS' },
  kind: { type: 'string', description: 'Only of this kind of job.', valueHint: 'KIND' },
  change: { type: 'string', description: 'Only of this change: SERVER/NUMBER.', valueHint: 'CHANGE' },
  since: { type: 'string', description: 'Only from this instant on, ISO 8601.', valueHint: 'TIME' },
  until: { type: 'string', description: 'Only before this instant.', valueHint: 'TIME' },
} as const;

type Selected = Partial<Record<keyof typeof selectionArguments, string | undefined>>;

function readInstant(option: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const instant = new Date(text);
  if (Number.isNaN(instant.getTime())) throw new UsageError([`--${option}: expected a time such as 2026-01-31T09:00Z`]);
  return instant;
}

/** The filter of the arguments. Throws `UsageError`. */
function readSelection(args: Selected): Omit<DeadLetterFilter, 'status' | 'limit' | 'before' | 'jobId'> {
  return {
    causeKey: args.group,
    stage: args.stage,
    errorClass: args.class,
    kind: args.kind,
    changelistId: args.change,
    since: readInstant('since', args.since),
    until: readInstant('until', args.until),
  };
}

/** Lists dead letters, or their causes. */
export const letters = (terminal: Terminal): Command =>
  createCommand(
    { name: 'letters', description: 'Lists dead letters: reviews that failed for good. With --groups: their causes.' },
    {
      groups: { type: 'boolean', description: 'One line a cause: class and message without ids, numbers, paths.' },
      status: { type: 'string', description: statuses.join(', '), default: 'open', valueHint: 'STATUS' },
      ...selectionArguments,
      before: { type: 'string', description: 'The page behind this letter.', valueHint: 'ID' },
      ...limitArgument,
      ...jsonArgument,
    },
    async (args) => {
      const selection = { ...readSelection(args), status: readStatus(statuses, args.status) };
      const limit = readLimit(args.limit);
      if (args.groups === true) {
        const groups = await withStores(terminal, ({ deadLetters }) => deadLetters.groups({ ...selection, limit }));
        print(terminal, args, groups, groups.length === 0 ? 'None.' : groups.map(describeGroup).join('\n'));
        return 0;
      }
      const rows = await withStores(terminal, ({ deadLetters }) =>
        deadLetters.list({ ...selection, before: args.before, limit }),
      );
      const next = rows.length === limit ? `\nMore: --before ${rows.at(-1)?.id}` : '';
      print(terminal, args, rows, `${table(rows.map(describeLetter))}${next}`);
      return 0;
    },
  );

const letterArgument = {
  letter: { type: 'positional', description: 'Id of the dead letter, as letters shows it.', required: true },
} as const;

/** Verbs that ask what a stage needs before a replay; they ask nothing where the configuration cannot be read. */
function withProbe<T>(terminal: Terminal, work: Parameters<typeof withOperator<T>>[1]): Promise<T> {
  const configuration = tryConfiguration(terminal);
  return withOperator(terminal, work, configuration === null ? {} : { probe: createReplayProbe(configuration) });
}

/** Shows one dead letter. */
export const letter = (terminal: Terminal): Command =>
  createCommand(
    {
      name: 'letter',
      description: 'Shows one dead letter: its job, artifacts, mails, notes, and what a replay would meet.',
    },
    { ...letterArgument, ...jsonArgument },
    async (args) =>
      withProbe(terminal, async (operator, stores) => {
        const found = await operator.inspectDeadLetter(args.letter);
        const report = await operator.checkReplay(args.letter);
        if (found === null || report === null) {
          print(terminal, args, null, `There is no dead letter ${args.letter}.`);
          return 3;
        }
        print(terminal, args, { ...found, report }, describeInspected(found, report, await stores.now()));
        return 0;
      }),
  );

interface LetterOrGroup extends Selected {
  letter?: string | undefined;
}

/** True for a command over a group. Throws `UsageError` unless one letter or a selection is named. */
function isGroup(args: LetterOrGroup): boolean {
  const { group, stage, class: errorClass, kind, change, since, until } = args;
  const selects = [group, stage, errorClass, kind, change, since, until].some((value) => value !== undefined);
  if (selects === (args.letter !== undefined))
    throw new UsageError(['LETTER: expected the id of one letter, or --group KEY or another filter']);
  return selects;
}

const optionalLetter = { letter: { ...letterArgument.letter, required: false } } as const;
const evidenceArgument = {
  evidence: { type: 'string', description: 'What was mended; a replay needs it.', valueHint: 'TEXT' },
} as const;

/** Says what is found about a letter, or about a group of them. */
export const triage = (terminal: Terminal): Command =>
  createCommand(
    { name: 'triage', description: 'Records the cause of a dead letter or a group, and what was mended.' },
    {
      ...optionalLetter,
      ...selectionArguments,
      ...reasonArguments,
      reason: { ...reasonArguments.reason, description: 'The cause that was found; a note of each letter.' },
      ...evidenceArgument,
      ...jsonArgument,
    },
    async (args) => {
      const { letter: deadLetterId, reason, evidence } = args;
      const by = { actor: readActor(args), reason, evidence };
      if (isGroup(args)) {
        const done = await withProbe(terminal, (operator) =>
          operator.triageDeadLetters({ ...readSelection(args), ...by, signal: terminal.signal }),
        );
        const more = done.hasMore ? ' There are more: run it again.' : '';
        print(terminal, args, done, `${done.triaged} triaged, ${done.taken} taken by somebody else.${more}`);
        return done.triaged > 0 ? 0 : 3;
      }
      const done = await withProbe(terminal, (operator) =>
        operator.triageDeadLetter({ deadLetterId: deadLetterId ?? '', ...by }),
      );
      print(terminal, args, done, `${done.outcome} (audit: ${done.audit})`);
      return done.outcome === 'triaged' ? 0 : 3;
    },
  );

/** A whole number of an argument. Throws `UsageError`. */
function readWhole(option: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1 || value > most)
    throw new UsageError([`--${option}: expected a whole number from 1 to ${most}`]);
  return value;
}

interface ReplayArguments extends LetterOrGroup {
  reason: string;
  actor?: string | undefined;
  evidence?: string | undefined;
  preview?: boolean | undefined;
  force?: boolean | undefined;
  start?: boolean | undefined;
  limit?: string | undefined;
  over?: string | undefined;
  json?: boolean | undefined;
}

async function replayGroup(terminal: Terminal, args: ReplayArguments): Promise<ExitCode> {
  const minutes = readWhole('over', args.over, 1_440) ?? 0;
  const done = await withProbe(terminal, (operator) =>
    operator.replayDeadLetters({
      ...readSelection(args),
      ...{ actor: readActor(args), reason: args.reason, evidence: args.evidence },
      ...{ preview: args.preview, force: args.force, fromStart: args.start, signal: terminal.signal },
      ...{ limit: readWhole('limit', args.limit, 5_000), overMs: minutes * 60_000 },
    }),
  );
  print(terminal, args, done, describeReplayed(done, args.preview === true));
  return done.replayed > 0 ? 0 : 3;
}

async function replayOne(terminal: Terminal, args: ReplayArguments): Promise<ExitCode> {
  const { letter: deadLetterId = '', reason, evidence, force, start: fromStart } = args;
  const plan = { evidence, fromStart };
  const show = (report: ReplayReport | null, line: string): string =>
    report === null ? line : `${describeReport(report)}\n${line}`;
  if (args.preview === true) {
    const report = await withProbe(terminal, (operator) => operator.checkReplay(deadLetterId, plan));
    const line = report === null ? `There is no dead letter ${deadLetterId}.` : `Nothing was changed.`;
    print(terminal, args, report, show(report, line));
    return report?.ok === true ? 0 : 3;
  }
  const done = await withProbe(terminal, (operator) =>
    operator.replayDeadLetter({ deadLetterId, actor: readActor(args), reason, force, ...plan }),
  );
  print(terminal, args, done, show(done.report, `${done.outcome} (audit: ${done.audit})`));
  return done.outcome === 'replayed' ? 0 : 3;
}

/** Queues the job of a dead letter again, or of a group. */
export const replay = (terminal: Terminal): Command =>
  createCommand(
    { name: 'replay', description: 'Runs the job of a dead letter again, or those of a group.' },
    {
      ...optionalLetter,
      ...selectionArguments,
      ...reasonArguments,
      ...evidenceArgument,
      preview: { type: 'boolean', description: 'Says what would happen, and changes nothing.' },
      start: { type: 'boolean', description: 'From the start, without what earlier stages left.' },
      force: { type: 'boolean', description: 'Although a check says no; stands in the audit event.' },
      limit: { type: 'string', description: 'Most letters of a group; default 5000.', valueHint: 'N' },
      over: {
        type: 'string',
        description: 'The jobs of a group become due over so many minutes.',
        valueHint: 'MINUTES',
      },
      ...jsonArgument,
    },
    (args) => (isGroup(args) ? replayGroup(terminal, args) : replayOne(terminal, args)),
  );

/** Ends a dead letter that needs no replay. */
export const ignore = (terminal: Terminal): Command =>
  createCommand(
    { name: 'ignore', description: 'Closes a dead letter that needs no replay; the reason is its note.' },
    { ...letterArgument, ...reasonArguments, ...jsonArgument },
    async (args) => {
      const { letter: deadLetterId, reason } = args;
      const done = await withProbe(terminal, (operator) =>
        operator.closeDeadLetter({ deadLetterId, status: 'ignored', actor: readActor(args), reason }),
      );
      print(terminal, args, done, `${done.outcome} (audit: ${done.audit})`);
      return done.outcome === 'closed' ? 0 : 3;
    },
  );
