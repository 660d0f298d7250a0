import { raiseSecurityEvent } from '@criticizer/core/internal';
import {
  type Clock,
  type CriticizerError,
  isCriticizerError,
  type Logger,
  type Secret,
  type SecretSource,
  type SecurityEvents,
  silentLogger,
  systemClock,
} from '@criticizer/core/ports';
import type { ContainmentMode, ContainmentStatus } from '../containment/containment.js';
import { removeAbandonedEnvironments } from './abandoned-environments.js';
import { explainUnusedPin } from './client-version.js';
import type { P4CommandLimit } from './command-limit.js';
import { createConcurrencyLimit } from './concurrency-limit.js';
import { securityEventFor } from './messages/gravest-failure.js';
import { commandArguments, type P4Command } from './p4-command.js';
import { createLocalRunner, type LocalRunRequest } from './p4-local-runner.js';
import { parseP4Port, parseP4User } from './p4-port.js';
import type { P4ProcessResult } from './p4-process.js';
import type { P4Runner, P4RunRequest } from './p4-runner.js';
import type { P4Timeouts } from './p4-timeouts.js';
import { type OutputHandlers, readOutput } from './read-output.js';

/** How to reach one Perforce server. */
export interface P4ClientOptions {
  /**
   * Absolute path of the `p4` command line client, 2016.2 or later (2021.2 for `ssl:` with a host
   * name), or a function of the host that finds it before each command. Never looked up in PATH.
   * Neither the file nor a directory above it may be open to changes by everyone. Give either this or
   * `runner`.
   */
  executable?: string | (() => string | Promise<string>) | undefined;
  /**
   * Runs the commands somewhere else, as `createP4RunnerClient` does. `ticket`,
   * `trustFingerprint`, `containment` and `executable` are then the runner's own; `port` and `user`
   * appear in reports alone.
   */
  runner?: P4Runner | undefined;
  /**
   * Keeps a server that drives the client from the files of this host (P4-7). `auto`: the strongest
   * way that the host has, proved at the first command; without a full one the event
   * `p4.uncontained`, once. `required`: every command fails with `P4_CONTAINMENT_UNAVAILABLE` where
   * the host has no full one. `accept-none`: none is tried, as for a simulator; the log says so
   * once. Default `auto`. With `runner` it is the runner's own.
   */
  containment?: ContainmentMode | undefined;
  /** `host:port` or `ssl:host:port`. */
  port: string;
  user: string;
  /** Where the login ticket is, read before every command. Absent: the server asks for none. */
  ticket?: { source: SecretSource; name: string } | undefined;
  /**
   * SHA-1 or SHA-256 of the server's public key, `AB:CD:…`, as `p4d -Gf` prints it on the server and
   * `p4 trust -l` on a client; not that of the certificate, which `openssl x509 -fingerprint` prints.
   * Required with `ssl:`; never learned on first use.
   */
  trustFingerprint?: string | undefined;
  /** Default `auto`: as the server's Unicode mode asks. */
  charset?: 'auto' | 'none' | 'utf8' | undefined;
  timeouts?: P4Timeouts | undefined;
  /** Processes at a time: of this part, or of all that share a `createP4CommandLimit`. Default 4. */
  maxConcurrent?: number | P4CommandLimit | undefined;
  /** Most bytes one command may print. Default 512 MiB. */
  maxOutputBytes?: number | undefined;
  securityEvents: SecurityEvents;
  /** Default: silent. Gets names, counts and durations of commands, never operands (P4-8). */
  logger?: Logger | undefined;
  clock?: Clock | undefined;
}

export interface P4RunOptions extends OutputHandlers {
  signal: AbortSignal;
  /** Which of the two timeouts holds. Default `command`. */
  timeout?: 'command' | 'contents' | undefined;
}

/** Runs commands of the list in `p4-command.ts` on one server, each in a process of its own. */
export interface P4Client {
  /**
   * Ends well only if the process ended with status 0, every record was read and every message
   * dealt with. Else throws one typed error: what was handed to `onOutput` before is not to be
   * used.
   */
  run(command: P4Command, options: P4RunOptions): Promise<void>;
}

/** A client that can say what contains its processes. */
export interface ContainedP4Client extends P4Client {
  /** Null where a runner has them. Reports nothing. Rejects where the executable is unusable. */
  containment(): Promise<ContainmentStatus | null>;
}

interface Attempt {
  ticket: Secret | null;
  ticketVersion: P4RunRequest['ticketVersion'];
  charset: 'none' | 'utf8';
}

// long: the verbs of the client, each short, over one process limit
/** Validates the options (TypeErrors that name them) and returns the client. Starts no process. */
export function createP4Client(options: P4ClientOptions): ContainedP4Client {
  const settings = checkOptions(options);
  const { logger, clock, limit } = settings;
  let abandonedRemoved: Promise<void> | undefined;
  let charset: 'none' | 'utf8' = options.charset === 'utf8' ? 'utf8' : 'none';

  const attempt = async (
    command: P4Command,
    run: P4RunOptions,
    { ticket, ticketVersion, charset }: Attempt,
  ): Promise<{ delivered: boolean; error: unknown }> => {
    commandArguments(command); // what is refused runs nowhere
    const startedAt = clock.monotonicMs();
    const stream = readOutput(run);
    let result: P4ProcessResult | null = null;
    try {
      result = await settings.run({
        ...{ command, charset, ticket, ticketVersion, signal: run.signal, maxOutputBytes: settings.maxOutputBytes },
        wallMs: run.timeout === 'contents' ? settings.contentsMs : settings.commandMs,
        onOutput: stream.push,
      });
      return { delivered: stream.delivered(), error: explainUnusedPin(stream.outcome(result), settings.pin) };
    } catch (error) {
      return { delivered: true, error };
    } finally {
      const { name, flags, operands } = command;
      const sizes = {
        operands: operands.length,
        outputBytes: result?.outputBytes ?? null,
        exitCode: result?.exitCode ?? null,
      };
      // What grep looks for is a word of somebody's code.
      const shown = name === 'grep' ? flags.slice(0, flags.indexOf('-e') + 1) : flags;
      logger.debug(
        { event: 'p4.command', command: name, flags: shown, ...sizes, durationMs: clock.monotonicMs() - startedAt },
        'p4 command ended',
      );
    }
  };

  /** Every further attempt answers one refusal made before any record came: it repeats no read. */
  const attemptAll = async (command: P4Command, run: P4RunOptions): Promise<unknown> => {
    abandonedRemoved ??= removeAbandonedEnvironments();
    await abandonedRemoved;
    const versions =
      options.ticket === undefined
        ? null
        : await options.ticket.source.read(options.ticket.name, { signal: run.signal });
    const tried = charset;
    const current = { ticket: versions?.current.secret ?? null, ticketVersion: 'current' } as const;
    let outcome = await attempt(command, run, { ...current, charset: tried });
    const code = (): string => (isCriticizerError(outcome.error) && !outcome.delivered ? outcome.error.code : '');
    if (code() === 'P4_CHARSET_MISMATCH' && (options.charset ?? 'auto') === 'auto') {
      // Of the one this attempt was made with: another command may have changed it meanwhile.
      charset = tried === 'none' ? 'utf8' : 'none';
      outcome = await attempt(command, run, { ...current, charset });
    }
    if (!/^P4_AUTH_(?:EXPIRED|REQUIRED|REJECTED)$/.test(code())) return outcome.error;
    // A runner knows by itself whether it has a previous ticket.
    const ticket = versions?.previous?.secret ?? null;
    if (ticket === null && options.runner === undefined) return outcome.error;
    const before = outcome;
    outcome = await attempt(command, run, { ticket, ticketVersion: 'previous', charset });
    return lacksTicket(outcome.error) ? before.error : outcome.error;
  };

  return {
    async run(command, run) {
      const error = await limit(() => attemptAll(command, run), run.signal).catch((thrown: unknown) => thrown);
      if (error === null) return;
      if (isCriticizerError(error)) reportSecurity(error, command, settings);
      throw error;
    },
    containment: settings.containment,
  };
}

/** True where a runner has no ticket but the one that was refused. */
function lacksTicket(error: unknown): boolean {
  return isCriticizerError(error) && error.code === 'P4_RUNNER_REFUSED' && error.details['part'] === 'ticket';
}

function reportSecurity(error: CriticizerError, command: P4Command, settings: Settings): void {
  const type = securityEventFor(error);
  if (type === null) return;
  const details = { code: error.code, command: command.name, port: settings.port.text };
  raiseSecurityEvent(settings.securityEvents, { type, reason: error.message, details }, settings.logger);
}

type Settings = ReturnType<typeof checkOptions>;

interface SelectedRunner extends Pick<ContainedP4Client, 'containment'> {
  run(request: LocalRunRequest & Pick<P4RunRequest, 'ticketVersion'>): Promise<P4ProcessResult>;
}

/** How commands run: as processes of this machine, or by the runner that was given. */
function selectRunner(
  options: P4ClientOptions,
  parts: { clock: Clock; killGraceMs: number; logger: Logger },
): SelectedRunner {
  const { runner, executable, ticket, trustFingerprint, containment } = options;
  if (runner === undefined) {
    const local = createLocalRunner({ ...options, ...parts });
    return { run: ({ ticketVersion: _which, ...request }) => local.run(request), containment: local.containment };
  }
  for (const [name, value] of Object.entries({ executable, ticket, trustFingerprint, containment }))
    if (value !== undefined) throw new TypeError(`${name}: expected none, as runner has its own`);
  if (typeof runner.run !== 'function') throw new TypeError('runner: expected an object with run()');
  return {
    run: ({ ticket: _none, onOutput, ...request }) =>
      runner.run({ ...request, onOutput: (chunk) => void onOutput(chunk) }),
    containment: async () => null,
  };
}

function checkOptions(options: P4ClientOptions) {
  const clock = options.clock ?? systemClock;
  const killGraceMs = positive('timeouts.killGraceMs', options.timeouts?.killGraceMs ?? 200);
  const logger = options.logger ?? silentLogger;
  if (typeof options.securityEvents?.emit !== 'function')
    throw new TypeError('securityEvents: expected an object with emit()');
  const { run, containment } = selectRunner(options, { clock, killGraceMs, logger });
  const port = parseP4Port(options.port);
  parseP4User(options.user);
  if (!['auto', 'none', 'utf8'].includes(options.charset ?? 'auto'))
    throw new TypeError("charset: expected 'auto', 'none' or 'utf8'");
  return {
    run,
    containment,
    port,
    pin: options.trustFingerprint,
    commandMs: positive('timeouts.commandMs', options.timeouts?.commandMs ?? 60_000),
    contentsMs: positive('timeouts.contentsMs', options.timeouts?.contentsMs ?? 300_000),
    limit: toLimit(options.maxConcurrent),
    maxOutputBytes: positive('maxOutputBytes', options.maxOutputBytes ?? 512 * 1024 * 1024),
    securityEvents: options.securityEvents,
    logger,
    clock,
  };
}

function toLimit(given: P4ClientOptions['maxConcurrent'] = 4): P4CommandLimit {
  return typeof given === 'function' ? given : createConcurrencyLimit(positive('maxConcurrent', given));
}

function positive(option: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1)
    throw new TypeError(`${option}: expected a whole number >= 1`);
  return value;
}
