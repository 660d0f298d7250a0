// The Perforce server of a run, and which of its changes are reviewed: the simulated one, or the one that P4PORT names.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAllowList, type DoctorFinding, findNewestChanges, runP4Doctor } from '@criticizer/p4';
import type { P4Simulator } from '@criticizer/p4/testing';
import type { P4Connection } from '../review-service.js';
import type { AskedPerforce } from '../settings/demo-arguments.js';
import { secretIn } from '../settings/secret-file.js';
import { UsageError } from '../settings/usage-error.js';
import { createOnce } from '../state/create-once.js';
import type { CleanUp } from '../state/demo-clean-up.js';
import { holdsQueue } from '../state/demo-folder.js';
import type { DemoState } from '../state/demo-state.js';
import { serverId } from './sample-change.js';

export interface DemoPerforce {
  connection: P4Connection;
  changes: readonly number[];
}

/** Without `--change`. */
const newestReviewed = 3;

/** Names the server in every key: its address, without what differs between two ways to reach it. */
export function serverIdOf(port: string): string {
  const address = port.replace(/^(?:tcp|ssl)(?:4|6|46|64)?:(?=.*:)/, '').toLowerCase();
  return (
    address
      .replace(/[^a-z0-9.-]+/g, '-')
      .replace(/^[^a-z0-9]+/, '')
      .slice(0, 63) || 'perforce'
  );
}

/** A folder's jobs are about one server: it stays with the one it began on. Throws `UsageError`. */
export function requireSameServer(directory: string, asked: AskedPerforce | null): void {
  const file = join(directory, 'perforce-server');
  const wanted = asked === null ? null : serverIdOf(asked.port);
  const isUsed = holdsQueue(directory);
  const known = existsSync(file) ? readFileSync(file, 'utf8') : null;
  const way = 'choose another folder with --state DIR.';
  if (known === null && isUsed && wanted !== null)
    throw new UsageError(`The queue of ${directory} is about the sample server: unset P4PORT, or ${way}`);
  if (known !== null && known !== wanted)
    throw new UsageError(
      `The queue of ${directory} is about the Perforce server ${known}: set P4PORT as it was, or ${way}`,
    );
  if (known === null && wanted !== null) createOnce(file, wanted);
}

const sample = { serverId, user: 'reviewbot', allow: ['//depot/orders/...'], hasFullListAccess: true } as const;

/** The sample server as the demo's folder knows it. */
export function sampleConnection(
  directory: string,
  { executable, port }: Pick<P4Simulator, 'executable' | 'port'>,
): P4Connection {
  const ticketFile = join(directory, 'secrets', 'P4_TICKET');
  return { ...sample, executable, containment: 'accept-none', port, ticketFile };
}

/** Gone with the run. On Windows, where no p4 process may run, the simulated client runs in this process. */
export function openSampleServer(
  { directory, server, startSimulator }: DemoState,
  cleanUp: CleanUp,
  platform: NodeJS.Platform = process.platform,
): P4Connection {
  const simulator = startSimulator();
  cleanUp(() => simulator.dispose());
  if (platform !== 'win32') return sampleConnection(directory, simulator);
  const { user } = sample;
  return { ...sample, port: simulator.port, runner: simulator.runner({ user, ticket: server.ticket }) };
}

/** Which variable a finding is about. */
const settings: Readonly<Record<string, string>> = {
  trust: 'P4_FINGERPRINT',
  ticket: 'P4_TICKET_FILE',
  allow_list: 'ALLOW',
  connection: 'P4PORT and P4_EXECUTABLE',
};

function complaint({ code, says, todo, details }: DoctorFinding): string {
  const setting = settings[code.split('.')[0] ?? ''];
  const facts = Object.entries(details).map(([name, value]) => ` ${name}: ${String(value)}.`);
  return `${code}: ${says}${facts.join('')} ${todo}${setting === undefined ? '' : ` The setting is ${setting}.`}`;
}

/**
 * Has the doctor look at the server first: nothing begins while a setting is missing or wrong.
 * Throws one `UsageError` that says all of it.
 */
export async function openAskedServer(
  asked: AskedPerforce,
  print: (text: string) => void,
  signal: AbortSignal,
): Promise<DemoPerforce> {
  const { port, user, executable, fingerprint: trustFingerprint, ticketFile, allow } = asked;
  const id = serverIdOf(port);
  const reach = {
    executable,
    port,
    user,
    trustFingerprint,
    ticket: ticketFile === undefined ? undefined : secretIn(ticketFile),
  };
  const report = await runP4Doctor({ ...reach, serverId: id, allowList: { allow }, signal });
  if (!report.healthy) {
    const errors = report.findings.filter(({ severity }) => severity === 'error');
    throw new UsageError(`The Perforce server ${port} cannot be reviewed yet. ${errors.map(complaint).join(' ')}`);
  }
  const { rung, strength } = report.containment ?? { rung: 'none', strength: 'none' };
  if (strength !== 'none') print(`  p4 runs contained by ${rung} (${strength})`);
  for (const { code, says } of report.findings) print(`  warning    ${code}: ${says}`);
  const allowList = createAllowList({ allow });
  const quiet = { securityEvents: { emit: () => undefined } };
  const found =
    asked.changes.length > 0
      ? asked.changes
      : await findNewestChanges({ ...reach, ...quiet, allowList }, { max: newestReviewed, signal });
  if (found.length === 0)
    throw new UsageError(
      `No submitted change of ${port} touches ALLOW=${allow.join(',')}: widen it, or name one with --change N.`,
    );
  print(
    `Perforce ${port} as ${user}: reviewing ${found.join(', ')}. Mails stay in the state folder; nothing is changed on the server.`,
  );
  return {
    connection: { serverId: id, executable, port, user, trustFingerprint, ticketFile, allow, hasFullListAccess: false },
    changes: found,
  };
}
