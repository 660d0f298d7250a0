import { Buffer } from 'node:buffer';
import type { P4Runner, P4RunRequest } from '../client/p4-runner.js';
import type { AttackedHost } from './attacked-host.js';
import { openFileParts } from './packed-model.js';
import type { SimulatorNote, SimulatorStart } from './run-simulator.js';
import { simulateClient } from './simulate-client.js';
import { defaultPort, type P4SimulatorModel } from './simulator-model.js';

/** As whom a runner of the simulator reads. */
export interface P4SimulatorRunnerOptions {
  user: string;
  /** Default none: the user needs none in the model. */
  ticket?: string | undefined;
}

/** What a runner needs of its simulator. */
export interface SimulatedServer {
  model(): P4SimulatorModel;
  record(line: (SimulatorStart & SimulatorNote) | SimulatorNote): void;
}

/** In the host's own process no attack is carried out. */
const closedHost: AttackedHost = {
  attack: () => ({ done: false, operation: 'open for read', code: 'EACCES' }),
  start: () => false,
};

/**
 * Runs a fetcher's commands against the model inside this process: for platforms where no process of
 * the client may run (`P4_PLATFORM_UNSUPPORTED`). Attacks of the model get nothing. Rejects with
 * `TypeError` for a fault that only a process can act out (`silent`, `hangs-with-child`, `slow`).
 */
export function createSimulatedRunner(server: SimulatedServer, { user, ticket }: P4SimulatorRunnerOptions): P4Runner {
  let runs = 0;
  return {
    async run(request) {
      request.signal.throwIfAborted();
      // Loaded here: an executable of the simulator starts without the rest of the package.
      const { commandArguments } = await import('../client/p4-command.js');
      const { runnerRefused } = await import('../runner/runner-failures.js');
      if (request.ticketVersion === 'previous') throw runnerRefused('ticket');
      const { options, tokens, operandInput } = commandArguments(request.command);
      const model = server.model();
      const port = model.port ?? defaultPort;
      const argv = ['-p', port, '-u', user, '-ztag', '-G', ...options, ...tokens];
      const env = { P4CHARSET: request.charset, ...(ticket === undefined ? {} : { P4PASSWD: ticket }) };
      runs += 1;
      const identity = { pid: process.pid, startedAtMs: performance.timeOrigin + runs };
      server.record({ ...identity, argv, env: { P4CHARSET: request.charset }, cwd: process.cwd() });
      const input = operandInput === null ? [] : [operandInput];
      const parts = openFileParts();
      try {
        const { output, fault, command, operands } = simulateClient(model, {
          argv,
          env,
          readText: () => null,
          readBytes: parts.read,
          readInput: () => input.shift() ?? '',
          host: closedHost,
          onViolation: (what) => server.record({ ...identity, violations: [what] }),
          onUpload: () => undefined,
        });
        if (fault !== null) throw new TypeError(`runner: the fault ${fault.kind} needs a process of the client`);
        server.record({ ...identity, command, operands, port });
        return await deliver(output, request);
      } finally {
        parts.close();
      }
    },
  };
}

/** Hands the output over, within the request's limit. Standard error is kept as a process's is. */
async function deliver(
  output: ReturnType<typeof simulateClient>['output'],
  { maxOutputBytes, onOutput, signal }: P4RunRequest,
): ReturnType<P4Runner['run']> {
  const { outputLimitExceeded } = await import('../client/p4-process.js');
  const errors: Buffer[] = [];
  let outputBytes = 0;
  for (;;) {
    signal.throwIfAborted();
    const next = output.next();
    if (next.done === true)
      return { exitCode: next.value, signal: null, stderr: Buffer.concat(errors).toString(), outputBytes };
    const { to, bytes } = next.value;
    if (to === 'stderr') {
      errors.push(bytes);
      continue;
    }
    outputBytes += bytes.length;
    if (outputBytes > maxOutputBytes) throw outputLimitExceeded(maxOutputBytes);
    onOutput(bytes);
  }
}
