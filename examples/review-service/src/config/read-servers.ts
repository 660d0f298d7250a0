import { createAllowList } from '@criticizer/p4';
import type { ServerEnvironment } from './environment.js';
import { type ConfiguredServer, readServersFile } from './files.js';
import { UsageError } from './usage-error.js';

function checkAllowLists(servers: readonly ConfiguredServer[]): void {
  for (const { serverId, allow } of servers) {
    try {
      createAllowList({ allow });
    } catch (error) {
      throw new UsageError([`ALLOW of the server ${serverId}: ${(error as Error).message}`]);
    }
  }
}

/** The servers that an environment names. Throws `UsageError`. */
export function readServers(env: ServerEnvironment): readonly ConfiguredServer[] {
  const servers = env.P4_SERVERS_FILE === undefined ? [readOnlyServer(env)] : readServersFile(env.P4_SERVERS_FILE);
  checkAllowLists(servers);
  return servers;
}

function readOnlyServer(env: ServerEnvironment): ConfiguredServer {
  return {
    serverId: env.P4_SERVER_ID,
    port: env.P4PORT ?? '',
    user: env.P4USER ?? '',
    ticketFile: env.P4_TICKET_FILE,
    fingerprint: env.P4_FINGERPRINT,
    executable: env.P4_EXECUTABLE,
    fullListAccess: env.P4_FULL_LIST_ACCESS === 'yes',
    allow: env.ALLOW ?? [],
    watch: env.WATCH,
    pollSeconds: env.POLL_SECONDS,
    swarmUrl: env.SWARM_URL,
  };
}
