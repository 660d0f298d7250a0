import type { Configuration } from './configuration.js';
import type { ConfiguredServer } from './files.js';
import { UsageError } from './usage-error.js';

/** The server and the number that a command's arguments name. Throws `UsageError`. */
export function readChange(
  { servers }: Configuration,
  args: { change: string; server?: string | undefined },
): { server: ConfiguredServer; number: number } {
  if (!/^[1-9][0-9]{0,9}$/.test(args.change) || Number(args.change) > 2_147_483_647)
    throw new UsageError(['CHANGE: expected the number of a change']);
  return { server: readServer({ servers }, args.server), number: Number(args.change) };
}

/** The server that `--server` names; the only one where it is left out. Throws `UsageError`. */
export function readServer({ servers }: Pick<Configuration, 'servers'>, id: string | undefined): ConfiguredServer {
  const ids = servers.map(({ serverId }) => serverId).join(', ');
  const [only, ...more] = servers;
  const found = id === undefined && more.length === 0 ? only : servers.find(({ serverId }) => serverId === id);
  if (found === undefined) throw new UsageError([`--server: expected one of ${ids}`]);
  return found;
}
