import { z } from 'zod';
import { serverRules, serverVariables } from './environment.js';
import type { ConfiguredServer } from './files.js';
import { applyRules, parseEnvironment } from './read-environment.js';
import { readServers } from './read-servers.js';
import { absolutePath } from './values.js';

const variables = {
  ...serverVariables,
  P4_RUNNER_SOCKET: absolutePath.default('/run/p4-runner/p4.sock').describe('Socket that the service connects to.'),
  P4_RUNNER_KEY_FILE: absolutePath.describe('The key that the service has, too: 32 random bytes or more as text.'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
} as const;
const schema = applyRules(z.object(variables), serverRules);

/** The configuration of the p4 runner. */
export interface RunnerConfiguration {
  socketPath: string;
  keyFile: string;
  servers: readonly ConfiguredServer[];
  logLevel: z.output<typeof schema>['LOG_LEVEL'];
}

/** Reads the runner's environment. Throws one `UsageError` with a line for each mistake. */
export function readRunnerConfiguration(env: NodeJS.ProcessEnv): RunnerConfiguration {
  const unknown = (given: NodeJS.ProcessEnv): string[] =>
    Object.keys(given).filter((name) => name.startsWith('P4_') && !Object.hasOwn(variables, name));
  const read = parseEnvironment(schema, env, { unknown });
  return {
    socketPath: read.P4_RUNNER_SOCKET,
    keyFile: read.P4_RUNNER_KEY_FILE,
    servers: readServers(read, { usesRunner: false, needsPin: true }),
    logLevel: read.LOG_LEVEL,
  };
}
