// The verbs of a person over what is stored: dead letters, mails, the kill switch. Each is audited.
import { createOperator, type Operator, type Stores, silentLogger, systemRandom } from '@criticizer/core';
import { createAuditTrail } from '@criticizer/core/audit';
import { createPayloadRedactor } from '@criticizer/redact';
import { describeDelivery } from '../compose/delivery.js';
import { openStores } from '../compose/open-stores.js';
import { UsageError } from '../config/usage-error.js';
import {
  type Command,
  createCommand,
  type ExitCode,
  jsonArgument,
  print,
  readActor,
  readTerminalConfiguration,
  reasonArguments,
  type Terminal,
} from './command-line.js';

async function withStores<T>(terminal: Terminal, work: (stores: Stores<unknown>) => Promise<T>): Promise<T> {
  await using opened = openStores(readTerminalConfiguration(terminal).database);
  return await work(opened.stores); // before they are closed
}

function openOperator(stores: Stores<unknown>): Operator {
  const redactor = createPayloadRedactor();
  const trail = { store: stores.audit, redactor, destinations: [], random: systemRandom, logger: silentLogger };
  return createOperator({ stores, audit: createAuditTrail(trail) });
}

const limitArgument = {
  limit: { type: 'string', description: 'Rows, newest first.', default: '50', valueHint: 'N' },
} as const;

function readLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > 1_000)
    throw new UsageError(['--limit: expected a whole number from 1 to 1000']);
  return limit;
}

const table = (rows: readonly (readonly unknown[])[]): string =>
  rows.length === 0 ? 'None.' : rows.map((row) => row.map(String).join('  ')).join('\n');

const letterStatuses = ['open', 'replaying', 'resolved', 'ignored', 'all'] as const;
const mailStatuses = ['all', 'pending', 'sending', 'sent', 'failed', 'unknown', 'cancelled'] as const;

function readStatus<T extends string>(known: readonly T[], given: string): Exclude<T, 'all'> | undefined {
  const found = known.find((name) => name === given);
  if (found === undefined) throw new UsageError([`--status: expected one of ${known.join(', ')}`]);
  return found === 'all' ? undefined : (found as Exclude<T, 'all'>);
}

/** Lists dead letters. */
export const letters = (terminal: Terminal): Command =>
  createCommand(
    { name: 'letters', description: 'Lists dead letters: reviews that failed for good.' },
    {
      status: { type: 'string', description: letterStatuses.join(', '), default: 'open', valueHint: 'STATUS' },
      ...limitArgument,
      ...jsonArgument,
    },
    async (args) => {
      const filter = { status: readStatus(letterStatuses, args.status), limit: readLimit(args.limit) };
      const rows = await withStores(terminal, (stores) => stores.deadLetters.list(filter));
      const lines = rows.map((row) => [
        row.id,
        row.status,
        row.changelistId ?? row.kind,
        `${row.stage} ${row.errorClass}`,
        row.lastFailureAt.toISOString(),
      ]);
      print(terminal, args, rows, table(lines));
      return 0;
    },
  );

/** Queues the job of a dead letter again. */
export const replay = (terminal: Terminal): Command =>
  createCommand(
    { name: 'replay', description: 'Runs the job of a dead letter again.' },
    {
      letter: { type: 'positional', description: 'Id of the dead letter, as letters shows it.', required: true },
      ...reasonArguments,
      ...jsonArgument,
    },
    async (args) => {
      const { letter: deadLetterId, reason } = args;
      const done = await withStores(terminal, (stores) =>
        openOperator(stores).replayDeadLetter({ deadLetterId, actor: readActor(args), reason }),
      );
      print(terminal, args, done, `${done.outcome} (audit: ${done.audit})`);
      return done.outcome === 'replayed' ? 0 : 3;
    },
  );

/** Lists mails, and in the shadow what would have gone. */
export const mails = (terminal: Terminal): Command =>
  createCommand(
    {
      name: 'mails',
      description: 'Lists mails: to whom, by which mailer, how far. In the shadow: what would have gone.',
    },
    {
      status: { type: 'string', description: mailStatuses.join(', '), default: 'all', valueHint: 'STATUS' },
      ...limitArgument,
      ...jsonArgument,
    },
    async (args) => {
      const { mail } = readTerminalConfiguration(terminal);
      const filter = { status: readStatus(mailStatuses, args.status), limit: readLimit(args.limit) };
      const rows = await withStores(terminal, (stores) => stores.outbox.list(filter));
      const lines = rows.map((row) => [
        row.createdAt.toISOString(),
        `${row.changelistId} v${row.reviewVersion}`,
        row.recipient,
        row.via === 'shadow' ? 'shadow: not sent' : `${row.via}: ${row.status}`,
        row.waitingFor ?? row.lastFailure?.code ?? '',
      ]);
      print(terminal, args, rows, `Delivery is ${describeDelivery(mail.delivery)}.\n${table(lines)}`);
      return 0;
    },
  );

async function setSwitch(
  terminal: Terminal,
  args: { reason: string; actor?: string | undefined; json?: boolean | undefined; providers?: string | undefined },
  stopped: boolean,
): Promise<ExitCode> {
  const { reason, providers } = args;
  const named = providers === undefined ? {} : { providers: providers.split(',') };
  const done = await withStores(terminal, (stores) =>
    openOperator(stores).setKillSwitch({ stopped, actor: readActor(args), reason, ...named }),
  );
  const says = stopped
    ? 'Requests to models and mails stop within 5 seconds; reviews wait.'
    : 'Requests and mails go again.';
  print(terminal, args, done, `${says} (audit: ${done.audit})`);
  return 0;
}

/** Sets the kill switch. */
export const stop = (terminal: Terminal): Command =>
  createCommand(
    { name: 'stop', description: 'Stops requests to models and mails in every process; reviews wait.' },
    {
      ...reasonArguments,
      providers: {
        type: 'string',
        description: 'Only these: provider ids and mail:smtp, with commas between.',
        valueHint: 'IDS',
      },
      ...jsonArgument,
    },
    (args) => setSwitch(terminal, args, true),
  );

/** Releases the kill switch. */
export const resume = (terminal: Terminal): Command =>
  createCommand(
    { name: 'resume', description: 'Lets requests to models and mails go again.' },
    { ...reasonArguments, ...jsonArgument },
    (args) => setSwitch(terminal, args, false),
  );
