import { isAbsolute } from 'node:path';
import { type Clock, isCriticizerError, type Logger, type Secret, type SecurityEvents } from '@criticizer/core/ports';
import { type ContainmentMode, type ContainmentStatus, createContainment } from '../containment/containment.js';
import { type ContainmentHost, createContainmentHost, type Entrance } from '../containment/containment-host.js';
import { checkExecutable } from '../containment/executable-file.js';
import { explainFailure, isToolFailure, obstacleTexts } from '../containment/obstacles.js';
import { containmentUnavailable } from '../containment/unavailable.js';
import { commandArguments } from './p4-command.js';
import { createP4Environment, createProbeEnvironment, createRootEnvironment, trustLines } from './p4-environment.js';
import { type P4Port, parseP4Port, parseP4User, parseTrustFingerprint } from './p4-port.js';
import { type P4ProcessRequest, type P4ProcessResult, refuseWindows, runP4Process } from './p4-process.js';
import type { P4RunRequest } from './p4-runner.js';

/** A command, and the ticket that it is run with. */
export interface LocalRunRequest extends Omit<P4RunRequest, 'onOutput' | 'ticketVersion'> {
  ticket: Secret | null;
  /** As of a process: a promise pauses the output until it resolves. */
  onOutput(chunk: Buffer): void | Promise<void>;
}

/** Runs commands as processes on this machine, contained where the host can. */
export interface LocalRunner {
  readonly port: P4Port;
  run(request: LocalRunRequest): Promise<P4ProcessResult>;
  /** What contains its processes. Rejects where the executable cannot be used. */
  containment(): Promise<ContainmentStatus>;
  /** The same, and reports it to the observers once. Rejects also where the mode requires more. */
  checkContainment(): Promise<ContainmentStatus>;
}

interface LocalRunnerOptions {
  executable?: string | (() => string | Promise<string>) | undefined;
  port: string;
  user: string;
  trustFingerprint?: string | undefined;
  containment?: ContainmentMode | undefined;
  securityEvents: SecurityEvents;
  logger: Logger;
  killGraceMs?: number | undefined;
  clock: Clock;
}

/** Shared by everything of this process, so that one root serves all that reach a server. */
let hostOfProcess: ContainmentHost | undefined;

function sharedHost(): ContainmentHost {
  hostOfProcess ??= createContainmentHost({
    environments: { inside: createRootEnvironment('none', null), outside: createProbeEnvironment() },
  });
  return hostOfProcess;
}

/** Checks how the server is reached. Throws TypeErrors that name the option. Starts no process. */
export function createLocalRunner(options: LocalRunnerOptions, host: ContainmentHost = sharedHost()): LocalRunner {
  const { executable, killGraceMs = 200, securityEvents, logger, clock } = options;
  if (typeof executable !== 'function' && (typeof executable !== 'string' || !isAbsolute(executable)))
    throw new TypeError('executable: expected the absolute path of the p4 client, or a function that returns it');
  const port = parseP4Port(options.port);
  const trustFingerprint =
    options.trustFingerprint === undefined ? null : parseTrustFingerprint(options.trustFingerprint);
  if (port.tls && trustFingerprint === null)
    throw new TypeError('trustFingerprint: expected the fingerprint of the server, as port begins with ssl:');
  const user = parseP4User(options.user);
  const containment = createContainment(parseContainmentMode(options.containment), host, { securityEvents, logger });
  const trust = trustLines({ port, trustFingerprint });
  const findClient = async (): Promise<string> =>
    checkExecutable(typeof executable === 'string' ? executable : await executable());
  return {
    port,
    async run({ command, charset, ticket, ...request }) {
      const { options: commandOptions, tokens, operandInput } = commandArguments(command);
      refuseWindows();
      const client = await findClient();
      const process = { ...request, input: operandInput, clock };
      const argv = [...globalOptions(port, user, request.wallMs), ...commandOptions, ...tokens];
      const entrance = await containment.enter({ client, trust });
      if (entrance?.kind === 'root')
        return runInRoot(entrance, argv, { ...process, env: createRootEnvironment(charset, ticket) });
      try {
        const environment = await createP4Environment({ port, user, trustFingerprint, ticket, charset });
        const { directory, env, tickets } = environment;
        const started = { ...process, env, directory, killGraceMs };
        try {
          if (entrance === null) return await runP4Process({ ...started, executable: client, argv });
          return await runByTool(entrance.start(argv, [tickets, environment.trust]), started);
        } finally {
          await environment.remove();
        }
      } finally {
        entrance?.release();
      }
    },
    containment: async () => containment.status({ client: await findClient(), trust }),
    checkContainment: async () => containment.check({ client: await findClient(), trust }),
  };
}

type RunningProcess = Omit<P4ProcessRequest, 'executable' | 'argv'>;

/** What is contained by namespaces does not heed SIGTERM, and writes nothing that could be left half done. */
async function runInRoot(
  entrance: Entrance,
  argv: readonly string[],
  process: Omit<RunningProcess, 'directory' | 'killGraceMs'>,
): Promise<P4ProcessResult> {
  try {
    return await runByTool(entrance.start(argv, []), { ...process, directory: '/', killGraceMs: 0 });
  } finally {
    entrance.release();
  }
}

/** Distinguishes a tool that could not start the client from a client that failed. */
async function runByTool(
  { file, argv }: ReturnType<Entrance['start']>,
  process: RunningProcess,
): Promise<P4ProcessResult> {
  const result = await runP4Process({ ...process, executable: file, argv }).catch((error: unknown) => {
    if (isCriticizerError(error) && error.code === 'P4_EXECUTABLE_UNUSABLE')
      throw containmentUnavailable(obstacleTexts['tools-missing'], { obstacle: 'tools-missing' }, error);
    throw error;
  });
  if (!isToolFailure(result)) return result;
  const obstacle = explainFailure({ ...result, errorCode: null });
  throw containmentUnavailable(obstacleTexts[obstacle], { obstacle });
}

/** Throws a TypeError that names the option. */
export function parseContainmentMode(mode: unknown = 'auto'): ContainmentMode {
  const known = (['auto', 'required', 'accept-none'] as const).find((name) => name === mode);
  if (known === undefined) throw new TypeError("containment: expected 'auto', 'required' or 'accept-none'");
  return known;
}

function globalOptions(port: P4Port, user: string, wallMs: number): string[] {
  // A client that does not exist is enough for reading depots, and makes `//client/…` aliases of paths unusable.
  const identity = ['-p', port.text, '-u', user, '-c', 'criticizer-no-such-client', '-H', 'criticizer'];
  // Longest silence of the server, in seconds: never shorter than the command may run.
  const maxWait = `-vnet.maxwait=${Math.ceil(wallMs / 1_000)}`;
  return [maxWait, '-zprog=criticizer', '-zversion=1', ...identity, '-ztag', '-G'];
}
