import { errorFacts } from '@criticizer/core';
import { describeVariables } from '../config/environment.js';
import { UsageError } from '../config/usage-error.js';
import { audit } from './audit.js';
import { hold, purge, unhold } from './changes.js';
import { type Command, type ExitCode, type Terminal, toPlain } from './command-line.js';
import { doctor } from './doctor.js';
import { dryRun } from './dry-run.js';
import { forecast } from './forecast.js';
import { cancel, priority, rerun } from './jobs.js';
import { ignore, letter, letters, replay, triage } from './letters.js';
import { mail } from './mail.js';
import { mailPreference, mailPreferences } from './mail-preference.js';
import { migrate } from './migrate.js';
import { mails, resume, stop } from './operate.js';
import { pager } from './pager.js';
import { prompt } from './prompt.js';
import { review } from './review.js';
import { serve, worker } from './serve.js';
import { suppress, suppressions, suppressRule, unsuppress } from './suppressions.js';
import { why } from './why.js';

/** Every command, in the order of `--help`. */
const makers: readonly ((terminal: Terminal) => Command)[] = [
  ...[serve, worker, migrate, doctor, forecast, dryRun, review],
  ...[
    why,
    letters,
    letter,
    triage,
    replay,
    ignore,
    mails,
    mail,
    mailPreference,
    mailPreferences,
    cancel,
    rerun,
    priority,
    suppress,
    suppressRule,
    suppressions,
    unsuppress,
    purge,
    hold,
    unhold,
    prompt,
    audit,
    pager,
    stop,
    resume,
  ],
];

const ansi = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');
/** Colours are for terminals. */
const plain = (text: string): string => text.replace(ansi, '');

function describeAll(commands: readonly Command[]): string {
  const line = ({ name, text }: { name: string; text: string }): string => `  ${name.padEnd(24)} ${text}`;
  return [
    'usage: criticizer COMMAND [--help]',
    'Reviews Perforce changes with a model, and mails what it found.',
    `Commands\n${commands.map(({ name, description }) => line({ name, text: description })).join('\n')}`,
    `Environment\n${describeVariables().map(line).join('\n')}`,
    'Exit codes\n  0 done, 1 failed or unhealthy, 2 wrong usage or configuration, 3 nothing there\n',
  ].join('\n\n');
}

/** Mistakes of the caller: ours, those that citty finds, and those that a verb or a store finds in its options. */
function isUsage(error: unknown): error is Error {
  if (error instanceof TypeError) return /^[\w.: [\]]+: expected /.test(error.message);
  return error instanceof UsageError || (error instanceof Error && error.name === 'CLIError');
}

/** Runs one command line and gives the exit code. What fails is one line on standard error. */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const commands = makers.map((make) => make(terminal));
  const [name = '', ...rest] = argv;
  if (['', '--help', '-h', 'help'].includes(name)) {
    terminal.write(describeAll(commands));
    return name === '' ? 2 : 0;
  }
  const command = commands.find((known) => known.name === name);
  if (command === undefined) {
    terminal.warn(`${name} is no command; see --help\n`);
    return 2;
  }
  if (rest.includes('--help')) {
    terminal.write(`${plain(await command.usage())}\n`);
    return 0;
  }
  try {
    return await command.run(rest);
  } catch (error) {
    const { code } = errorFacts(error);
    terminal.warn(`${isUsage(error) ? '' : `${code}: `}${toPlain(plain((error as Error).message))}\n`);
    if (isUsage(error)) return 2;
    return code === 'P4_CHANGE_NOT_FOUND' ? 3 : 1;
  }
}
