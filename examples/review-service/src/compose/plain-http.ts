import type { Configuration } from '../config/configuration.js';
import { isSentInTheClear } from '../config/values.js';
import type { Checks } from '../http/readiness.js';

/** What `warnOfPlainHttp` looks at. */
interface Addresses {
  channels: Pick<Configuration['channels'], 'webhook'>;
  servers: readonly Pick<Configuration['servers'][number], 'swarmUrl'>[];
}

/** For the doctor: warns of addresses to which reviews travel unencrypted, and calls nobody. */
export function warnOfPlainHttp({ channels, servers }: Addresses): Checks {
  const warn = (name: string, variable: string, address: string | undefined): Checks => {
    if (address === undefined || !isSentInTheClear(address)) return {};
    const says = `not called; reviews travel unencrypted: ${variable} is plain http`;
    return { [name]: async () => ({ ok: true, says }) };
  };
  const swarmUrl = servers.find((server) => server.swarmUrl !== undefined)?.swarmUrl;
  return { ...warn('webhook', 'WEBHOOK_URL', channels.webhook?.url), ...warn('testRuns', 'SWARM_URL', swarmUrl) };
}
