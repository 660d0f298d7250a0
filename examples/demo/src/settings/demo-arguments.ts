import { parseArgs } from 'node:util';
import { type MailEndpoint, readMailEndpoint } from '../mail/mail-endpoint.js';
import { type ModelEndpoint, readModelEndpoint } from '../model/model-endpoint.js';
import { resolvePath, wholeNumber } from './settings-environment.js';
import { UsageError } from './usage-error.js';

export interface DemoArguments {
  /** Review this version of the change; a higher one is a new review (NOT-2). */
  reviewVersion: number;
  /** Null: SQLite, in the state folder. */
  databaseUrl: string | null;
  /** Review the sample shelf instead, in each of its versions, one after the other. */
  shelf: boolean;
  /** Where queue, artifacts, keys and mails lie; null: a folder of this user's under the temporary folder. */
  state: string | null;
  fresh: boolean;
  /** Write the exact requests here and ask no model (EGR-3). */
  dryRunTo: string | null;
  /** Null: the simulated server. */
  perforce: AskedPerforce | null;
  /** Null: the stand-in on this machine. */
  model: ModelEndpoint | null;
  /** Null: the mail server on this machine, which delivers into the state folder. */
  mail: MailEndpoint | null;
  /** What is set and has no effect, a line each. */
  notes: readonly string[];
}

/** A Perforce server as the environment names it. */
export interface AskedPerforce {
  port: string;
  user: string;
  executable: string;
  fingerprint: string | undefined;
  ticketFile: string | undefined;
  allow: readonly string[];
  /** Empty: the newest ones. */
  changes: readonly number[];
}

export const help = `usage: npm run demo -- [options]

Reviews a sample Perforce changelist end to end on this machine: p4 simulator, redaction, a rule-based stand-in for an LLM,
SQLite queue, encrypted artifacts, and a real SMTP server on loopback.

DATABASE_URL=postgres://…  keeps the queue in a schema of the demo's own there instead, and runs two worker processes on it

P4PORT=ssl:host:port reviews changes of that Perforce server instead. It is only read, and nobody is mailed: mails stay in the state folder
unless SMTP_URL is set. The doctor looks first and names every setting that is missing or wrong:

  P4USER               the service user
  P4_TICKET_FILE       a file of yours alone (0600) that holds its ticket, as p4 login -a -p prints it
  P4_FINGERPRINT       the pin of an ssl: port; left out, the key that the server shows is named and nothing is trusted
  ALLOW                depot paths that may be read, with commas between: //depot/main/...,//depot/libs/...
  P4_EXECUTABLE        the p4 client, an absolute path (default /usr/local/bin/p4)
  --change N           review this change; may be given several times (default: the three newest submitted ones inside ALLOW)

LLM_PROTOCOL asks a real model instead of the stand-in: openai-chat (and every server that speaks it), openai-responses, azure-openai,
anthropic, gemini, ollama or bedrock. Before the first request the demo prints what will leave, and to whom:

  LLM_BASE_URL         as the vendor's SDK takes it: https://llm.example.com/v1
  LLM_MODEL            the model's name there
  LLM_KEY_FILE         a file of yours alone (0600) that holds the API key; not needed for an endpoint on this machine
  LLM_CONTEXT_TOKENS   what the model reads at once (default 128000)
  LLM_MAX_OUTPUT_TOKENS  what it may write (default 8192)

SMTP_URL=smtp://user@host:587 (STARTTLS) or smtps://user@host mails through that server, and to one address alone:

  MAIL_TO              the one address that gets every mail
  MAIL_FROM            the sender (default: MAIL_TO)
  SMTP_PASSWORD_FILE   a file of yours alone (0600) that holds the password of the user in SMTP_URL

A private certificate authority is trusted with NODE_EXTRA_CA_CERTS=file.pem.

  --review-version N   review the change again as version N (default 1)
  --shelf              review a shelf in four versions instead, as its author mends it: what is new, open and resolved in each
  --dry-run --out DIR  write the exact request bodies, hosts, redaction counts and withheld paths to DIR; asks no model
  --state DIR          keep queue, artifacts and mails in DIR (default: a folder of yours under the temporary folder)
  --fresh              forget earlier runs first; only in a folder that the demo made
  --help               this text`;

function readPerforce(env: NodeJS.ProcessEnv, changes: readonly number[]): AskedPerforce | null {
  const {
    P4PORT: port = '',
    P4USER: user = '',
    P4_EXECUTABLE: executable,
    P4_FINGERPRINT: fingerprint,
    P4_TICKET_FILE: ticketFile,
  } = env;
  if (env['P4PASSWD'] !== undefined && env['P4PASSWD'] !== '')
    throw new UsageError(
      'P4PASSWD is set, but the demo takes a ticket from a file: put one into the file that P4_TICKET_FILE names, and unset P4PASSWD.',
    );
  if (port === '' && changes.length > 0)
    throw new UsageError('--change goes with P4PORT: the sample server has one change to review.');
  if (port === '') return null;
  if (user === '') throw new UsageError('P4PORT is set, and P4USER is not: set it to the service user of that server.');
  return {
    port,
    user,
    executable: executable || '/usr/local/bin/p4',
    fingerprint: fingerprint || undefined,
    ticketFile: ticketFile ? resolvePath(ticketFile, env) : undefined,
    allow: (env['ALLOW'] ?? '').split(',').filter((path) => path !== ''),
    changes,
  };
}

/** Settings of other programs that people have in their shells: they open nothing here, and that is said. */
function unusedKeys(env: NodeJS.ProcessEnv): string[] {
  const set = ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_API_KEY'].filter((name) => Boolean(env[name]));
  return set.map((name) => `${name} is set and not used: the LLM_ settings name a model (--help).`);
}

function readDatabaseUrl({ DATABASE_URL: url }: NodeJS.ProcessEnv): string | null {
  if (url === undefined || url === '') return null;
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError(
      'DATABASE_URL is set, but is no address of a PostgreSQL (postgres://…): correct or unset it and run it again.',
    );
  return url;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        'review-version': { type: 'string', default: '1' },
        shelf: { type: 'boolean', default: false },
        'dry-run': { type: 'boolean', default: false },
        out: { type: 'string' },
        state: { type: 'string' },
        fresh: { type: 'boolean', default: false },
        change: { type: 'string', multiple: true, default: [] },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message.split('\n')[0] : 'bad arguments'} See --help.`);
  }
}

/** The shelf is the sample server's, and its versions are reviewed in this process. */
function requireShelfAlone(args: readonly string[], environment: NodeJS.ProcessEnv): void {
  const option = ['--review-version', '--dry-run', '--change'].find((name) => args.some((one) => one.startsWith(name)));
  const variable = ['P4PORT', 'DATABASE_URL'].find((name) => Boolean(environment[name]));
  const other = option ?? variable;
  if (other !== undefined) throw new UsageError(`--shelf does not go with ${other}: leave one of them out.`);
}

/** Null asks for the help text. Throws `UsageError` with what to fix. */
export function readDemoArguments(args: readonly string[], environment: NodeJS.ProcessEnv): DemoArguments | null {
  const values = parse(args);
  if (values.help) return null;
  if (values['dry-run'] && values.out === undefined)
    throw new UsageError('--dry-run needs --out DIR: the folder to write the requests to.');
  if (!values['dry-run'] && values.out !== undefined)
    throw new UsageError('--out goes with --dry-run: without it nothing is written there.');
  if (values['dry-run'] && values.fresh)
    throw new UsageError('--fresh does not go with --dry-run, which only looks: leave one of them out.');
  for (const [option, value] of [
    ['--out', values.out],
    ['--state', values.state],
  ] as const)
    if (value === '') throw new UsageError(`${option} needs a folder.`);
  if (values.shelf) requireShelfAlone(args, environment);
  const [model, mail] = [readModelEndpoint(environment), readMailEndpoint(environment)];
  const changes = values.change.map((text) => wholeNumber(text, '--change'));
  return {
    reviewVersion: wholeNumber(values['review-version'], '--review-version'),
    databaseUrl: readDatabaseUrl(environment),
    shelf: values.shelf,
    state: values.state === undefined ? null : resolvePath(values.state, environment),
    fresh: values.fresh,
    dryRunTo: values.out === undefined ? null : resolvePath(values.out, environment),
    perforce: readPerforce(environment, changes),
    model,
    mail,
    notes: model === null ? unusedKeys(environment) : [],
  };
}
