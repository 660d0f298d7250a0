import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

export const help = `usage: npm run example:queue-and-mail -- [options]

Renders and mails the invoices of a month: one job each, on SQLite, or on PostgreSQL where DATABASE_URL is set; several worker processes; a
real SMTP server on loopback that keeps what it takes.

  --customers N   invoices in the month (default 12)
  --month YYYY-MM which month (default 2026-01); a month that is done is not sent again
  --workers N     worker processes (default 2)
  --kill          kill a worker, SIGKILL, while it sends: the others finish its work, and each mail is there once
  --state DIR     where the SQLite file, invoices and mails lie (default: a folder of yours under the temporary folder)
  --schema NAME   the PostgreSQL schema that holds the tables (default criticizer_invoices)
  --help          this text`;

/** One clear line for a person; the process ends with 2. */
export class UsageError extends Error {}

export interface RunArguments {
  customers: number;
  month: string;
  workers: number;
  kill: boolean;
  directory: string;
  schema: string;
}

function wholeNumber(text: string, option: string, most: number): number {
  const value = /^[1-9][0-9]*$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= most))
    throw new UsageError(`${option} takes a whole number from 1 to ${most}, not ${JSON.stringify(text)}.`);
  return value;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        customers: { type: 'string', default: '12' },
        month: { type: 'string', default: '2026-01' },
        workers: { type: 'string', default: '2' },
        kill: { type: 'boolean', default: false },
        state: { type: 'string' },
        schema: { type: 'string', default: 'criticizer_invoices' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message.split('\n')[0] : 'bad arguments'} See --help.`);
  }
}

/** A folder of this user's alone: somebody else's in a shared temporary folder is refused. */
function openFolder(given: string | undefined): string {
  const { uid, username } = userInfo();
  const directory = given ?? join(tmpdir(), `criticizer-queue-and-mail-${uid >= 0 ? uid : username}`);
  const refuse = (why: string): never => {
    throw new UsageError(`${directory} ${why}: choose another folder with --state DIR.`);
  };
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    refuse(`cannot be made (${(error as NodeJS.ErrnoException).code})`);
  }
  const found = lstatSync(directory);
  if (!found.isDirectory() || (uid >= 0 && found.uid !== uid)) refuse('is not a folder of yours');
  return directory;
}

/** Null asks for the help text. Throws `UsageError` with what to fix. */
export function readRunArguments(args: readonly string[], environment: NodeJS.ProcessEnv): RunArguments | null {
  const values = parse(args);
  if (values.help) return null;
  const workers = wholeNumber(values.workers, '--workers', 32);
  if (values.kill && workers < 2)
    throw new UsageError('--kill needs --workers 2 or more: somebody must finish the work.');
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(values.month)) throw new UsageError('--month takes YYYY-MM.');
  return {
    customers: wholeNumber(values.customers, '--customers', 10_000),
    month: values.month,
    workers,
    kill: values.kill,
    directory: openFolder(
      values.state === undefined ? undefined : resolve(environment['INIT_CWD'] ?? '.', values.state),
    ),
    schema: values.schema,
  };
}
