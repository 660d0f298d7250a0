import { createAllowList, createP4ChangeFetcher, type P4Runner } from '@criticizer/p4';
import type { ServerEnvironment } from './environment.js';
import { type ConfiguredServer, readServersFile } from './files.js';
import { UsageError } from './usage-error.js';

/** Never called: a server is checked, not read. */
const noRunner: P4Runner = { run: async () => Promise.reject(new TypeError('nothing runs here')) };

/** Where p4 runs, and whether the key of a server must be pinned already. */
export interface ServerNeeds {
  usesRunner: boolean;
  needsPin: boolean;
}

const anyPin = Array.from({ length: 20 }, () => '00').join(':');

/** What the packages say of a server, as lines that name it. */
function findMistakes(server: ConfiguredServer, { usesRunner, needsPin }: ServerNeeds): readonly string[] {
  const { serverId, port, user, executable } = server;
  const trustFingerprint = server.fingerprint ?? (needsPin ? undefined : anyPin);
  const reach = usesRunner ? { port, user, runner: noRunner } : { port, user, executable, trustFingerprint };
  const checks: readonly (() => unknown)[] = [
    () => createAllowList({ allow: server.allow }),
    () =>
      createP4ChangeFetcher({
        ...{ ...reach, serverId, allowList: anyList, fingerprintKey: new Uint8Array(32) },
        securityEvents: { emit: () => undefined },
      }),
  ];
  return checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      return [`the server ${serverId}: ${error.message.replace('allowList.allow', 'ALLOW')}`];
    }
  });
}

const anyList = createAllowList({ allow: ['//depot/any/...'] });

/** The servers that an environment names. Throws `UsageError`. */
export function readServers(env: ServerEnvironment, needs: ServerNeeds): readonly ConfiguredServer[] {
  const servers = env.P4_SERVERS_FILE === undefined ? [readOnlyServer(env)] : readServersFile(env.P4_SERVERS_FILE);
  const mistakes = servers.flatMap((server) => findMistakes(server, needs));
  if (mistakes.length > 0) throw new UsageError(mistakes);
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
    containment: env.P4_CONTAINMENT,
    fullListAccess: env.P4_FULL_LIST_ACCESS === 'yes',
    allow: env.ALLOW ?? [],
    watch: env.WATCH,
    pollSeconds: env.POLL_SECONDS,
    maxConcurrent: env.P4_MAX_CONCURRENT,
    commandSeconds: env.P4_COMMAND_SECONDS,
    contentsSeconds: env.P4_CONTENTS_SECONDS,
    maxChangeFiles: env.P4_MAX_CHANGE_FILES,
    swarmUrl: env.SWARM_URL,
  };
}
