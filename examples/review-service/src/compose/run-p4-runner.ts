import type { Logger } from '@criticizer/core';
import { createAllowList, createP4RunnerServer, type P4RunnerTarget } from '@criticizer/p4';
import { type ConfiguredServer, secretIn } from '../config/files.js';
import type { RunnerConfiguration } from '../config/runner-configuration.js';

function toTarget(server: ConfiguredServer): P4RunnerTarget {
  const { serverId, executable, containment, port, user, fingerprint: trustFingerprint, ticketFile, allow } = server;
  const { maxConcurrent } = server;
  const ticket = ticketFile === undefined ? undefined : secretIn(ticketFile);
  const reach = { executable, containment, port, user, trustFingerprint, ticket, maxConcurrent };
  return { serverId, ...reach, allowList: createAllowList({ allow }) };
}

/** Runs p4 for the service until the signal aborts. Rejects where the socket cannot be had. */
export async function runP4Runner(
  { socketPath, keyFile, servers }: RunnerConfiguration,
  { logger, signal }: { logger: Logger; signal: AbortSignal },
): Promise<void> {
  await using runner = createP4RunnerServer({
    socketPath,
    key: secretIn(keyFile),
    targets: servers.map(toTarget),
    maxWallMs: Math.max(...servers.flatMap((server) => [server.commandSeconds, server.contentsSeconds])) * 1_000,
    logger,
  });
  await runner.listen();
  logger.info(
    { event: 'p4_runner.listening', socketPath, servers: servers.map(({ serverId }) => serverId) },
    'p4 runner listening',
  );
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  logger.info({ event: 'p4_runner.stopping' }, 'p4 runner stopping');
}
