import { findHostTools, type HostTools } from './host-tools.js';
import { type ExtraFile, prepareRoot } from './prepared-root.js';
import { createRootPool, type UsedRoot } from './root-pool.js';
import { removeLeftoverRoots } from './root-removal.js';
import { listRungs, type Rung, type RungName } from './rungs.js';
import { commandLine, findHindrance, type ProbeEnvironments, type Selection, selectRung } from './select-rung.js';
import { containmentUnavailable } from './unavailable.js';

/** A client to contain, and what it needs to trust its server. */
export interface ContainedClient {
  /** Absolute path without links. */
  client: string;
  /** Lines of the trust file. */
  trust: string;
}

/** How one process is started under the rung in force. */
export interface Entrance {
  /** `root`: only the prepared root is seen, with its own trust file. `rules`: paths are the host's. */
  kind: Rung['kind'];
  rung: RungName;
  start(argv: readonly string[], readable: readonly string[]): { file: string; argv: readonly string[] };
  /** Call when the process has ended: a replaced root is then removed. */
  release(): void;
}

/** Which rungs a host has for which client: chosen once, proved, and never a weaker one later. */
export interface ContainmentHost {
  /** Rejects with `P4_CONTAINMENT_UNAVAILABLE` where the root cannot be made now; then nothing is chosen yet. */
  select(client: ContainedClient): Promise<Selection>;
  /** Only where `select` found a rung. Rejects likewise. */
  enter(client: ContainedClient): Promise<Entrance>;
}

export interface ContainmentHostOptions {
  environments: ProbeEnvironments;
  tools?: HostTools | undefined;
  /** Default: all that the tools offer. */
  rungs?: readonly Rung[] | undefined;
  /** What a client that is a script needs in its root. */
  extraFiles?: readonly ExtraFile[] | undefined;
}

/** One for a process: it shares prepared roots between all that reach the same server by the same client. */
export function createContainmentHost(options: ContainmentHostOptions): ContainmentHost {
  const { environments, tools = findHostTools(), extraFiles } = options;
  const rungs = options.rungs ?? listRungs(tools, { isRoot: process.getuid?.() === 0 });
  const selections = new Map<string, Promise<Selection>>();
  let leftovers: Promise<void> | undefined;
  const pool = createRootPool((key) => {
    const [client = '', trust = ''] = key.split('\0');
    return prepareRoot({ client, trust, ldd: tools.ldd, extraFiles });
  });
  const use = ({ client, trust }: ContainedClient): Promise<UsedRoot> => pool.use(`${client}\0${trust}`);
  const choose = async (contained: ContainedClient): Promise<Selection> => {
    leftovers ??= removeLeftoverRoots();
    await leftovers;
    const obstacle = await findHindrance(contained.client, extraFiles !== undefined);
    if (obstacle !== null) return { rung: null, rejected: [], obstacle };
    if (rungs.length === 0) return { rung: null, rejected: [], obstacle: 'tools-missing' };
    const { root, release } = await use(contained);
    try {
      return await selectRung({ client: contained.client, root, rungs, environments });
    } finally {
      release();
    }
  };
  const select = (contained: ContainedClient): Promise<Selection> => {
    const known = selections.get(contained.client);
    if (known !== undefined) return known;
    const chosen = choose(contained);
    selections.set(contained.client, chosen);
    chosen.catch(() => selections.delete(contained.client));
    return chosen;
  };
  return {
    select,
    async enter(contained) {
      const { rung } = await select(contained);
      if (rung === null) throw containmentUnavailable('no rung was found');
      const { root, release } = await use(contained);
      const { client } = contained;
      return {
        kind: rung.kind,
        rung: rung.name,
        start: (argv, readable) => commandLine(rung, { client, root, readable }, argv),
        release,
      };
    },
  };
}
