import type { ReplayProbe } from '@criticizer/core/ports';
import { runP4Doctor } from '@criticizer/p4';
import type { Configuration } from '../config/configuration.js';
import { reachServer } from './configured-parts.js';

/**
 * Asks what a stage needs before its letters are replayed (ERR-9): the doctor looks at the Perforce
 * server of a letter that failed in `fetch`. A model or a mail server is not asked: a question to
 * the one costs, and the other says no more than that it takes connections.
 */
export function createReplayProbe(configuration: Configuration): ReplayProbe {
  return async ({ stage, changelistId }, signal) => {
    if (stage !== 'fetch') return { healthy: true, detail: `Not looked at: nothing is asked for ${stage}.` };
    const serverId = changelistId?.split('/')[0] ?? '';
    const server = configuration.servers.find((one) => one.serverId === serverId);
    if (server === undefined) return { healthy: false, detail: `No server ${JSON.stringify(serverId)} is configured.` };
    const { healthy, findings } = await runP4Doctor({
      ...reachServer(server, configuration),
      serverId,
      allowList: { allow: server.allow },
      signal,
    });
    if (healthy) return { healthy, detail: `The doctor finds no error at ${serverId}.` };
    const { code, says } = findings.find(({ severity }) => severity === 'error') ?? { code: 'unknown', says: '' };
    return { healthy, detail: `${serverId}: ${code}: ${says}` };
  };
}
