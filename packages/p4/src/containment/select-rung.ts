import { isScript } from './client-files.js';
import type { Obstacle } from './obstacles.js';
import type { PreparedRoot } from './prepared-root.js';
import { probeContainment, type Start } from './probe.js';
import type { CommandLine, Rung, RungName } from './rungs.js';

/** A rung that is not in force, and why. */
export interface RejectedRung {
  rung: RungName;
  obstacle: Obstacle;
  /** The first line of the tool's message. */
  says: string;
}

/** The strongest rung that was proved; null where none was. */
export interface Selection {
  rung: Rung | null;
  /** Stronger ones, strongest first. */
  rejected: readonly RejectedRung[];
  /** Why nothing could be tried, where that is so. */
  obstacle: Obstacle | null;
}

/** The environments of the client's processes, contained in a root and not; made where commands are. */
export interface ProbeEnvironments {
  inside: Readonly<Record<string, string>>;
  outside: Readonly<Record<string, string>>;
}

interface Candidates {
  client: string;
  root: PreparedRoot;
  rungs: readonly Rung[];
  environments: ProbeEnvironments;
}

/** What a process under a rung is started by. `readable` are further files that `landlock` lets it read. */
export function commandLine(
  rung: Rung,
  { client, root, readable }: { client: string; root: PreparedRoot; readable: readonly string[] },
  argv: readonly string[],
): CommandLine {
  if (rung.kind === 'root') return rung.enter(root.path, argv);
  return rung.restrict({ client, libraries: root.libraries, readable: [...hostReadable, ...readable] }, argv);
}

/** What finding a host needs, and the file that is read in place of settings. */
const hostReadable = ['/etc/resolv.conf', '/etc/hosts', '/etc/nsswitch.conf', '/dev/null'];

/** Tries rung by rung, until one is proved. Takes some 20 ms where the first one is. */
export async function selectRung({ client, root, rungs, environments }: Candidates): Promise<Selection> {
  const rejected: RejectedRung[] = [];
  const outside: Start = (argv) => ({ file: client, argv, env: environments.outside });
  for (const rung of rungs) {
    const env = rung.kind === 'root' ? environments.inside : environments.outside;
    const start: Start = (argv) => ({ ...commandLine(rung, { client, root, readable: [] }, argv), env });
    const found = await probeContainment(start, outside);
    if (found === null) return { rung, rejected, obstacle: null };
    rejected.push({ rung: rung.name, ...found });
  }
  return { rung: null, rejected, obstacle: null };
}

/** What rules every rung out before one is tried; null where nothing does. */
export async function findHindrance(client: string, hasInterpreter: boolean): Promise<Obstacle | null> {
  if (process.platform !== 'linux') return 'platform';
  return !hasInterpreter && (await isScript(client)) ? 'script' : null;
}
