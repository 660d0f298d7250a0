import { isAbsolute } from 'node:path';
import type { Clock, Secret } from '@criticizer/core/ports';
import { commandArguments } from './p4-command.js';
import { createP4Environment } from './p4-environment.js';
import { type P4Port, parseP4Port, parseP4User, parseTrustFingerprint } from './p4-port.js';
import { type P4ProcessResult, runP4Process } from './p4-process.js';
import type { P4RunRequest } from './p4-runner.js';

/** A command, and the ticket that it is run with. */
export interface LocalRunRequest extends Omit<P4RunRequest, 'onOutput' | 'ticketVersion'> {
  ticket: Secret | null;
  /** As of a process: a promise pauses the output until it resolves. */
  onOutput(chunk: Buffer): void | Promise<void>;
}

/** Runs commands as processes on this machine, each in a private directory. */
export interface LocalRunner {
  readonly port: P4Port;
  run(request: LocalRunRequest): Promise<P4ProcessResult>;
}

interface LocalRunnerOptions {
  executable?: string | (() => string | Promise<string>) | undefined;
  port: string;
  user: string;
  trustFingerprint?: string | undefined;
  killGraceMs?: number | undefined;
  clock: Clock;
}

/** Checks how the server is reached. Throws TypeErrors that name the option. Starts no process. */
export function createLocalRunner(options: LocalRunnerOptions): LocalRunner {
  const { executable, killGraceMs = 200, clock } = options;
  if (typeof executable !== 'function' && (typeof executable !== 'string' || !isAbsolute(executable)))
    throw new TypeError('executable: expected the absolute path of the p4 client, or a function that returns it');
  const port = parseP4Port(options.port);
  const trustFingerprint =
    options.trustFingerprint === undefined ? null : parseTrustFingerprint(options.trustFingerprint);
  if (port.tls && trustFingerprint === null)
    throw new TypeError('trustFingerprint: expected the fingerprint of the server, as port begins with ssl:');
  const user = parseP4User(options.user);
  return {
    port,
    async run({ command, charset, ticket, ...request }) {
      const { options: commandOptions, tokens, operandInput } = commandArguments(command);
      const path = typeof executable === 'string' ? executable : await executable();
      const environment = await createP4Environment({ port, user, trustFingerprint, ticket, charset });
      try {
        return await runP4Process({
          ...request,
          executable: path,
          argv: [...globalOptions(port, user), ...commandOptions, ...tokens],
          env: environment.env,
          directory: environment.directory,
          input: operandInput,
          killGraceMs,
          clock,
        });
      } finally {
        await environment.remove();
      }
    },
  };
}

function globalOptions(port: P4Port, user: string): string[] {
  // A client that does not exist is enough for reading depots, and makes `//client/…` aliases of paths unusable.
  const identity = ['-p', port.text, '-u', user, '-c', 'criticizer-no-such-client', '-H', 'criticizer'];
  return ['-vnet.maxwait=30', '-zprog=criticizer', '-zversion=1', ...identity, '-ztag', '-G'];
}
