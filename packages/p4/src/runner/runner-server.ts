import { createServer, type Server, type Socket } from 'node:net';
import { isAbsolute } from 'node:path';
import {
  checkedElsewhere,
  checkFields,
  checkName,
  checkOptions,
  type OptionShape,
  observerShape,
  optional,
  withMethods,
} from '@criticizer/core/internal';
import {
  type Clock,
  isCriticizerError,
  type Logger,
  type SecretSource,
  type SecurityEvents,
  silentLogger,
  systemClock,
} from '@criticizer/core/ports';
import { removeAbandonedEnvironments } from '../client/abandoned-environments.js';
import { createConcurrencyLimit } from '../client/concurrency-limit.js';
import type { P4ClientOptions } from '../client/p4-client.js';
import { createLocalRunner, type LocalRunner } from '../client/p4-local-runner.js';
import type { AllowList } from '../policy/allow-list.js';
import { namedSecret } from '../policy/option-shapes.js';
import { holdConversation, type RunnerParts, type RunnerTarget } from './runner-conversation.js';
import { freeSocketPath } from './socket-path.js';

/** One Perforce server of a runner: reached with the runner's own executable, user, ticket and trust. */
export interface P4RunnerTarget
  extends Pick<P4ClientOptions, 'containment' | 'executable' | 'port' | 'ticket' | 'trustFingerprint' | 'user'> {
  /** What clients call it. */
  serverId: string;
  /** The runner's own list: an operand outside it is refused, whatever the client's says. */
  allowList: AllowList;
  /** Commands of this server at a time: a slow one keeps no other waiting. Default: that of the runner. */
  maxConcurrent?: number | undefined;
}

/** Where a runner listens, for which servers, and how much it runs. */
export interface P4RunnerServerOptions {
  /** Absolute path of the Unix socket: made with mode 0660 in a directory that a shared group may enter. */
  socketPath: string;
  /** The key that clients must have, read at each request. */
  key: { source: SecretSource; name: string };
  targets: readonly P4RunnerTarget[];
  /** Commands of one server at a time; others wait for their turn. Default 8. */
  maxConcurrent?: number | undefined;
  /** How long a command waits for its turn before the client is told to come later. Milliseconds, default 30,000. */
  maxWaitMs?: number | undefined;
  /** Longest run that a client may ask for. Default 300,000. */
  maxWallMs?: number | undefined;
  /** Most output that a client may ask for. Default 512 MiB. */
  maxOutputBytes?: number | undefined;
  /** Receives one event for each target without a full containment. Default: the log alone. */
  securityEvents?: SecurityEvents | undefined;
  /** Receives names, counts and durations of commands, never operands (P4-8). Default: silent. */
  logger?: Logger | undefined;
  clock?: Clock | undefined;
}

/** A runner: a process of its own that holds ticket and trust, and reads nothing but what its lists allow. */
export interface P4RunnerServer extends AsyncDisposable {
  /**
   * Takes requests. Throws `TypeError` where something else is at the path, and
   * `P4_CONTAINMENT_UNAVAILABLE` where a target requires more than its host has.
   */
  listen(): Promise<void>;
  /** Ends the commands under way and resolves when nothing runs any more. Idempotent. */
  close(): Promise<void>;
}

const optionShape: OptionShape<P4RunnerServerOptions> = {
  socketPath: checkedElsewhere,
  key: namedSecret,
  targets: checkedElsewhere,
  maxConcurrent: checkedElsewhere,
  maxWaitMs: checkedElsewhere,
  maxWallMs: checkedElsewhere,
  maxOutputBytes: checkedElsewhere,
  securityEvents: optional(withMethods('emit')),
  logger: observerShape.logger,
  clock: observerShape.clock,
};
const targetShape: OptionShape<P4RunnerTarget> = {
  serverId: checkName,
  allowList: checkedElsewhere,
  executable: checkedElsewhere,
  containment: checkedElsewhere,
  port: checkedElsewhere,
  user: checkedElsewhere,
  ticket: checkedElsewhere,
  trustFingerprint: checkedElsewhere,
  maxConcurrent: checkedElsewhere,
};

/**
 * Runs `p4` for clients of `createP4RunnerClient`, one command a connection. It checks each request
 * again by its own grammar, allow-list and limits, and answers nothing to who lacks the key. Throws
 * TypeErrors that name the option.
 */
export function createP4RunnerServer(options: P4RunnerServerOptions): P4RunnerServer {
  const parts = checkServerOptions(options);
  const sockets = new Set<Socket>();
  const running = new Set<Promise<void>>();
  let server: Server | undefined;

  const take = (socket: Socket): void => {
    sockets.add(socket);
    const conversation = holdConversation(socket, parts, sockets.size > maxSockets);
    running.add(conversation);
    void conversation.finally(() => {
      running.delete(conversation);
      sockets.delete(socket);
      socket.destroySoon();
    });
  };
  async function close(): Promise<void> {
    const closing = server;
    server = undefined;
    if (closing === undefined) return;
    const closed = new Promise<void>((resolve) => closing.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await Promise.all([closed, ...running]);
  }
  return {
    async listen() {
      await Promise.all([removeAbandonedEnvironments(), freeSocketPath(options.socketPath)]);
      for (const { runner } of parts.targets.values()) await checkTarget(runner);
      const listening = createServer(take);
      const umask = process.umask(0o117); // the file is made with its mode: a later chmod would leave a gap
      try {
        await new Promise<void>((resolve, reject) => {
          listening.once('error', reject).listen(options.socketPath, resolve);
        });
      } finally {
        process.umask(umask);
      }
      server = listening;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function logEvents(logger: Logger): SecurityEvents {
  return { emit: ({ type, reason, details }) => logger.warn({ event: `security.${type}`, ...details, type }, reason) };
}

/** A client that cannot be run may be installed later: each command says so. */
async function checkTarget(runner: LocalRunner): Promise<void> {
  await runner.checkContainment().catch((error: unknown) => {
    if (isCriticizerError(error) && error.code === 'P4_CONTAINMENT_UNAVAILABLE') throw error;
  });
}

function positive(option: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1)
    throw new TypeError(`createP4RunnerServer: ${option}: expected a whole number >= 1`);
  return value;
}

/** Connections at a time: those that run and those that wait. */
const maxSockets = 128;

function checkServerOptions(options: P4RunnerServerOptions): RunnerParts {
  checkOptions('createP4RunnerServer', options, optionShape);
  const { socketPath, targets, logger = silentLogger, clock = systemClock } = options;
  if (typeof socketPath !== 'string' || !isAbsolute(socketPath))
    throw new TypeError('createP4RunnerServer: socketPath: expected an absolute path');
  if (!Array.isArray(targets) || targets.length === 0)
    throw new TypeError('createP4RunnerServer: targets: expected at least one server');
  const observers = { logger, securityEvents: options.securityEvents ?? logEvents(logger) };
  const all = positive('maxConcurrent', options.maxConcurrent ?? 8);
  const byId = new Map<string, RunnerTarget>();
  for (const [at, target] of targets.entries()) {
    checkFields(`createP4RunnerServer: targets[${at}]`, target, targetShape);
    if (typeof target.allowList?.check !== 'function')
      throw new TypeError(`createP4RunnerServer: targets[${at}].allowList: expected the result of createAllowList()`);
    if (byId.has(target.serverId))
      throw new TypeError(`createP4RunnerServer: targets: two have the serverId ${target.serverId}`);
    const { serverId, allowList, maxConcurrent, ...reach } = target;
    const turns = maxConcurrent === undefined ? all : positive(`targets[${at}].maxConcurrent`, maxConcurrent);
    byId.set(serverId, {
      allowList,
      ticket: reach.ticket,
      runner: createLocalRunner({ ...reach, ...observers, clock }),
      inTurn: createConcurrencyLimit(turns),
    });
  }
  return {
    key: options.key,
    targets: byId,
    limits: {
      wallMs: positive('maxWallMs', options.maxWallMs ?? 300_000),
      maxOutputBytes: positive('maxOutputBytes', options.maxOutputBytes ?? 512 * 1024 * 1024),
    },
    maxWaitMs: positive('maxWaitMs', options.maxWaitMs ?? 30_000),
    logger,
    clock,
  };
}
