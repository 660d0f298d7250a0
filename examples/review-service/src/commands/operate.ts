// The verbs of a person over what is stored: dead letters, mails, the kill switch. Each is audited.
import { createOperator, type Operator, type OperatorOptions, type Stores, systemRandom } from '@criticizer/core';
import { createAuditTrail } from '@criticizer/core/audit';
import { isHandedOver } from '@criticizer/core/ports';
import { createPayloadRedactor } from '@criticizer/redact';
import { openAuditFlags } from '../compose/audit-flags.js';
import { listAuditDestinations } from '../compose/audit-sinks.js';
import { listStoppable } from '../compose/configured-parts.js';
import { describeDelivery } from '../compose/delivery.js';
import { openStores } from '../compose/open-stores.js';
import { type Configuration, readAudit, readDatabase } from '../config/configuration.js';
import { UsageError } from '../config/usage-error.js';
import {
  type Command,
  createCommand,
  createTerminalLogger,
  type ExitCode,
  jsonArgument,
  print,
  readActor,
  readTerminalConfiguration,
  reasonArguments,
  type Terminal,
} from './command-line.js';

/** Opens the stores of the environment for one piece of work. */
export async function withStores<T>(terminal: Terminal, work: (stores: Stores<unknown>) => Promise<T>): Promise<T> {
  await using opened = openStores(readDatabase(terminal.env));
  return await work(opened.stores); // before they are closed
}

/** The whole configuration, or null where something in it is wrong: these verbs work without. */
export function tryConfiguration(terminal: Terminal): Configuration | null {
  try {
    return readTerminalConfiguration(terminal);
  } catch {
    return null;
  }
}

/** The verbs of a person; what they do is delivered as every audit event is. */
export function openOperator(
  stores: Stores<unknown>,
  terminal: Pick<Terminal, 'env' | 'warn'>,
  more: Pick<OperatorOptions<unknown>, 'artifactStore' | 'probe' | 'suppressions'> = {},
): Operator {
  const redactor = createPayloadRedactor();
  const destinations = listAuditDestinations(readAudit(terminal.env));
  const flags = openAuditFlags(stores);
  const logger = createTerminalLogger(terminal);
  const trail = { store: stores.audit, redactor, destinations, flags, random: systemRandom, logger };
  return createOperator({ stores, audit: createAuditTrail(trail), ...more });
}

/** Opens the stores for verbs of a person. What a verb finds wrong in a request is usage: see `runCommandLine`. */
export function withOperator<T>(
  terminal: Terminal,
  work: (operator: Operator, stores: Stores<unknown>) => Promise<T>,
  more?: Parameters<typeof openOperator>[2],
): Promise<T> {
  return withStores(terminal, (stores) => work(openOperator(stores, terminal, more), stores));
}

export const limitArgument = {
  limit: { type: 'string', description: 'Rows, newest first.', default: '50', valueHint: 'N' },
} as const;

/** A number of rows. Throws `UsageError`. */
export function readLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > 1_000)
    throw new UsageError(['--limit: expected a whole number from 1 to 1000']);
  return limit;
}

/** Rows as lines, or `None.` */
export const table = (rows: readonly (readonly unknown[])[]): string =>
  rows.length === 0
    ? 'None.'
    : rows.map((row) => row.map((cell) => String(cell).replaceAll(/[\r\n\t]+/g, ' ')).join('  ')).join('\n');

const mailStatuses = ['all', 'pending', 'held', 'sending', 'sent', 'failed', 'unknown', 'cancelled'] as const;

/** One of the known words, `all` as none. Throws `UsageError`. */
export function readStatus<T extends string>(known: readonly T[], given: string): Exclude<T, 'all'> | undefined {
  const found = known.find((name) => name === given);
  if (found === undefined) throw new UsageError([`--status: expected one of ${known.join(', ')}`]);
  return found === 'all' ? undefined : (found as Exclude<T, 'all'>);
}

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
      const delivery = tryConfiguration(terminal)?.delivery;
      const mode = delivery === undefined ? 'unknown: the configuration cannot be read' : describeDelivery(delivery);
      const filter = { status: readStatus(mailStatuses, args.status), limit: readLimit(args.limit) };
      const rows = await withStores(terminal, (stores) => stores.outbox.list(filter));
      const lines = rows.map((row) => [
        row.id,
        row.createdAt.toISOString(),
        `${row.changelistId} v${row.reviewVersion}`,
        row.recipient,
        row.via === 'shadow' ? 'shadow: not sent' : `${row.via}: ${isHandedOver(row) ? 'handed over' : row.status}`,
        row.waitingFor ?? row.lastFailure?.code ?? '',
      ]);
      print(terminal, args, rows, `Delivery is ${mode}.\n${table(lines)}`);
      return 0;
    },
  );

interface SwitchArguments {
  reason: string;
  actor?: string | undefined;
  json?: boolean | undefined;
}

/** The names of `--providers`, each one that can be stopped; `unchecked` where the configuration cannot say. */
function readProviders(text: string, terminal: Terminal): { names: readonly string[]; unchecked: boolean } {
  const parts = text.split(',').map((name) => name.trim());
  const names = parts.filter((name) => name !== '');
  const configuration = tryConfiguration(terminal);
  const known = configuration === null ? null : listStoppable(configuration);
  const choice = known === null ? 'expected one name or more' : `expected of ${known.join(', ')}`;
  if (names.length === 0) throw new UsageError([`--providers: ${choice}`]);
  const unknown = known === null ? [] : names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new UsageError(unknown.map((name) => `--providers: ${name} cannot be stopped: ${choice}`));
  return { names, unchecked: known === null };
}

async function setStop(
  terminal: Terminal,
  args: SwitchArguments & { providers?: string | undefined },
): Promise<ExitCode> {
  const { reason, providers } = args;
  const read = providers === undefined ? null : readProviders(providers, terminal);
  const narrowed = read === null ? {} : { providers: read.names };
  const done = await withOperator(terminal, (operator) =>
    operator.setKillSwitch({ stopped: true, actor: readActor(args), reason, ...narrowed }),
  );
  if (read?.unchecked === true)
    terminal.warn('The configuration cannot be read, so nobody knows whether these names are right; see doctor.\n');
  const kept = read !== null && done.stops === 'all' ? 'It was stopped before and stays so. ' : '';
  const what = done.stops === 'all' ? 'everything: requests to models, mails and posts' : done.stops.join(', ');
  print(
    terminal,
    args,
    done,
    `Stopped within 5 seconds: ${what}. ${kept}What waits for it goes on after resume. (audit: ${done.audit})`,
  );
  return 0;
}

async function releaseStop(terminal: Terminal, args: SwitchArguments): Promise<ExitCode> {
  const done = await withOperator(terminal, (operator) =>
    operator.setKillSwitch({ stopped: false, actor: readActor(args), reason: args.reason }),
  );
  print(terminal, args, done, `Nothing is stopped: requests and mails go again. (audit: ${done.audit})`);
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
        description:
          'Only these, beside what is stopped: ids of models, mail:smtp, webhook:webhook, code-review:swarm, sink:webhook, sink:shadow:webhook, telemetry:host.',
        valueHint: 'IDS',
      },
      ...jsonArgument,
    },
    (args) => setStop(terminal, args),
  );

/** Releases the kill switch. */
export const resume = (terminal: Terminal): Command =>
  createCommand(
    { name: 'resume', description: 'Lets requests to models and mails go again.' },
    { ...reasonArguments, ...jsonArgument },
    (args) => releaseStop(terminal, args),
  );
