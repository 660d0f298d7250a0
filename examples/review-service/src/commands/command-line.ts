// What every command shares: its arguments, its output, how it ends.
import { userInfo } from 'node:os';
import type { Actor, Logger } from '@criticizer/core';
import { type ArgsDef, type CommandDef, defineCommand, renderUsage, runCommand } from 'citty';
import pino from 'pino';
import { type Configuration, readConfiguration } from '../config/configuration.js';
import { UsageError } from '../config/usage-error.js';

/** How a command ended, for the exit code: 0 done, 1 failed or unhealthy, 2 wrong usage, 3 nothing there. */
export type ExitCode = 0 | 1 | 2 | 3;

/** Streams, environment and signal of a command, so that a test can give its own. */
export interface Terminal {
  env: NodeJS.ProcessEnv;
  /** Writes to standard output. */
  write(text: string): void;
  /** Writes to standard error. */
  warn(text: string): void;
  /** Reads one line that a person typed; null where there is no terminal. */
  ask(question: string): Promise<string | null>;
  /** Aborts at SIGINT and SIGTERM. */
  signal: AbortSignal;
}

export const jsonArgument = {
  json: { type: 'boolean', description: 'One JSON document in place of text.' },
} as const satisfies ArgsDef;

export const changeArguments = {
  change: { type: 'positional', description: 'Number of the change.', required: true },
  server: { type: 'string', description: 'serverId, where several servers are configured.', valueHint: 'ID' },
} as const satisfies ArgsDef;

export const reasonArguments = {
  reason: { type: 'string', description: 'Why; stands in the audit event.', required: true, valueHint: 'TEXT' },
  actor: { type: 'string', description: 'Who; default the login of this user.', valueHint: 'NAME' },
} as const satisfies ArgsDef;

/**
 * Text in which no character moves the cursor, sets a title or turns the reading direction: errors,
 * notes and findings come from servers, models and other people.
 */
export function toPlain(text: string): string {
  const toEscape = (found: string): string => `\\u${(found.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  return text.replaceAll('\r\n', '\n').replaceAll(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, toEscape);
}

/** Prints text for a person, or with `--json` the value. */
export function print(terminal: Terminal, args: { json?: boolean | undefined }, value: unknown, text: string): void {
  const shown = args.json === true ? JSON.stringify(value, null, 2) : toPlain(text);
  terminal.write(shown.endsWith('\n') ? shown : `${shown}\n`);
}

/** The logger of a process: JSON lines on standard output, as container platforms collect them. */
export function createProcessLogger(level: Configuration['logLevel']): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime });
}

/**
 * Errors as JSON lines on standard error. An audit event that cannot be stored leaves its fingerprint
 * there and nowhere else (AUD-3).
 */
export function createTerminalLogger(terminal: Pick<Terminal, 'warn'>): Logger {
  const options = { level: 'error', base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, { write: (line) => terminal.warn(line) });
}

/** The configuration of the terminal's environment. Throws `UsageError`. */
export function readTerminalConfiguration(terminal: Terminal, needs?: { needsPin: boolean }): Configuration {
  return readConfiguration(terminal.env, needs);
}

/** The login of this process. In a container the user often has a number and no name. */
function readLogin(readUser: () => { username: string }): string {
  try {
    return readUser().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

/** The person at the terminal. */
export function readActor(
  args: { actor?: string | undefined },
  readUser: () => { username: string } = userInfo,
): Actor {
  return { type: 'admin_user', id: args.actor ?? readLogin(readUser) };
}

/** One command of the command line. */
export interface Command {
  name: string;
  description: string;
  /** The text of `--help`. */
  usage(): Promise<string>;
  /** Throws `UsageError`, citty's `CLIError`, and what the command throws. */
  run(rawArgs: readonly string[]): Promise<ExitCode>;
}

/** A negative number where a name of an option could stand is a value: it goes behind `--`. */
function settleNegatives(rawArgs: readonly string[], args: ArgsDef): string[] {
  const takesValue = (arg: string | undefined): boolean => args[arg?.slice(2) ?? '']?.type === 'string';
  const isLoose = (arg: string, at: number): boolean => /^-\d+$/.test(arg) && !takesValue(rawArgs[at - 1]);
  const loose = rawArgs.filter(isLoose);
  if (loose.length === 0 || rawArgs.includes('--')) return [...rawArgs];
  return [...rawArgs.filter((arg, at) => !isLoose(arg, at)), '--', ...loose];
}

/** A command from its arguments and the function that runs it. */
export function createCommand<const T extends ArgsDef>(
  meta: { name: string; description: string },
  args: T,
  run: (args: Parameters<NonNullable<CommandDef<T>['run']>>[0]['args']) => Promise<ExitCode>,
): Command {
  let code: ExitCode = 0;
  const positionals = Object.values(args).filter(({ type }) => type === 'positional').length;
  const definition = defineCommand<T>({
    meta,
    args,
    async run(context) {
      // citty gives the value of --older-than under olderThan, too.
      const isKnown = (name: string): boolean =>
        Object.hasOwn(args, name) ||
        Object.hasOwn(
          args,
          name.replaceAll(/[A-Z]/g, (c) => `-${c.toLowerCase()}`),
        );
      const unknown = Object.keys(context.args).filter((name) => name !== '_' && !isKnown(name));
      const extra = context.args._.slice(positionals);
      if (unknown.length + extra.length > 0)
        throw new UsageError([
          ...unknown.map((name) => `--${name}: unknown; see --help`),
          ...extra.map(() => 'too many arguments; see --help'),
        ]);
      code = await run(context.args);
    },
  });
  return {
    ...meta,
    usage: () => renderUsage(definition),
    async run(rawArgs) {
      await runCommand(definition, { rawArgs: settleNegatives(rawArgs, args) });
      return code;
    },
  };
}
