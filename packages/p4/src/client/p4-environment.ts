import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { revealSecret, type Secret } from '@criticizer/core/ports';
import { environmentPrefix } from './abandoned-environments.js';
import type { P4Port } from './p4-port.js';

/** What one process of the client may know. */
export interface P4EnvironmentOptions {
  port: P4Port;
  user: string;
  /** `none` for servers that are not in Unicode mode. */
  charset: 'none' | 'utf8';
  ticket: Secret | null;
  /** Upper case; null only where the port has no TLS. */
  trustFingerprint: string | null;
}

/** A private home for one process. */
export interface P4Environment {
  /** Working directory, HOME, PWD and TMPDIR at once: empty, 0700. */
  directory: string;
  /** Files in it. */
  tickets: string;
  trust: string;
  env: Readonly<Record<string, string>>;
  /** Removes the directory with the ticket file. Never throws. */
  remove(): Promise<void>;
}

/** A path the client may write below; nothing is there. */
const nowhere = '/nonexistent';

/**
 * Makes the directory and the whole environment of one `p4` process (P4-7). Nothing is inherited:
 * configuration files, aliases, Lua extensions, editors, single sign-on hooks and browsers of the
 * host cannot take part. The ticket is in a 0600 file, never in argv; the server's key is
 * pinned by a trust file, never accepted on first use. For a process without a prepared root.
 */
export async function createP4Environment(options: P4EnvironmentOptions): Promise<P4Environment> {
  const base = await mkdtemp(join(tmpdir(), environmentPrefix));
  const remove = async (): Promise<void> => {
    await rm(base, { recursive: true, force: true }).catch(() => undefined);
  };
  try {
    await chmod(base, 0o700);
    const directory = join(base, 'home');
    await mkdir(directory, { mode: 0o700 });
    const tickets = join(base, 'tickets');
    const trust = join(base, 'trust');
    await writeFile(tickets, ticketLines(options), { mode: 0o600 });
    await writeFile(trust, trustLines(options), { mode: 0o600 });
    return {
      directory,
      tickets,
      trust,
      env: environment({ home: directory, tickets, trust }, options.charset),
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

interface EnvironmentPaths {
  home: string;
  tickets: string;
  trust: string;
}

function environment({ home, tickets, trust }: EnvironmentPaths, charset: string): Record<string, string> {
  return {
    PATH: home,
    HOME: home,
    // The client looks for P4CONFIG from PWD upwards, not from its real working directory.
    PWD: home,
    TMPDIR: home,
    TEMP: nowhere,
    P4CLIENTPATH: nowhere,
    P4CONFIG: '',
    P4ENVIRO: '/dev/null',
    P4ALIASES: '/dev/null',
    P4CHARSET: charset,
    P4TICKETS: tickets,
    P4TRUST: trust,
    P4EDITOR: '/bin/false',
    P4USEBROWSER: 'false',
  };
}

/**
 * The environment of a process in a prepared root, which already holds the trust file. The ticket
 * is a variable: the root is shared and holds no secret, no process of the root can read it, and
 * outside only this user and root can, as with a 0600 file.
 */
export function createRootEnvironment(charset: 'none' | 'utf8', ticket: Secret | null): Record<string, string> {
  const paths = { home: '/home', tickets: '/home/tickets', trust: '/home/trust' };
  return { ...environment(paths, charset), ...(ticket === null ? {} : { P4PASSWD: revealSecret(ticket) }) };
}

/** Of a process that asks no server and reads no ticket, on the host's file system. */
export function createProbeEnvironment(): Record<string, string> {
  return environment({ home: nowhere, tickets: nowhere, trust: nowhere }, 'none');
}

/** One line a spelling of the address: clients differ in whether they keep the protocol in the key. */
function ticketLines({ port, user, ticket }: P4EnvironmentOptions): string {
  if (ticket === null) return '';
  const text = revealSecret(ticket);
  return [...new Set([port.address, port.text])].map((address) => `${address}=${user}:${text}\n`).join('');
}

/** The trust file's line that pins a server's key; none where the port has no TLS. */
export function trustLines({
  port,
  trustFingerprint,
}: Pick<P4EnvironmentOptions, 'port' | 'trustFingerprint'>): string {
  return trustFingerprint === null ? '' : `${port.address}=**++**:${trustFingerprint}\n`;
}
