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
  env: Readonly<Record<string, string>>;
  /** Removes the directory with the ticket file. Never throws. */
  remove(): Promise<void>;
}

/** A path the client may write below; nothing is there. */
const nowhere = '/nonexistent';

/**
 * Makes the directory and the whole environment of one `p4` process (P4-7). Nothing is inherited:
 * configuration files, aliases, Lua extensions, editors, single sign-on hooks and browsers of the
 * host cannot take part. The ticket stands in a 0600 file, never in argv or the environment; the
 * server's key is pinned by a trust file, never accepted on first use.
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
    return { directory, env: environment(directory, tickets, trust, options.charset), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function environment(directory: string, tickets: string, trust: string, charset: string): Record<string, string> {
  return {
    PATH: directory,
    HOME: directory,
    // The client looks for P4CONFIG from PWD upwards, not from its real working directory.
    PWD: directory,
    TMPDIR: directory,
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

/** One line a spelling of the address: clients differ in whether they keep the protocol in the key. */
function ticketLines({ port, user, ticket }: P4EnvironmentOptions): string {
  if (ticket === null) return '';
  const text = revealSecret(ticket);
  return [...new Set([port.address, port.text])].map((address) => `${address}=${user}:${text}\n`).join('');
}

function trustLines({ port, trustFingerprint }: P4EnvironmentOptions): string {
  return trustFingerprint === null ? '' : `${port.address}=**++**:${trustFingerprint}\n`;
}
