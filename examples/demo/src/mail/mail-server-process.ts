import { type ChildProcess, spawn } from 'node:child_process';
import { extname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../settings/usage-error.js';
import { isRunning, liveDemos } from '../state/demo-lease.js';
import { findMailServer, type MailServerAddress, writtenAddress } from './mail-server-address.js';

const besideThis = fileURLToPath(new URL(`./mail-server${extname(import.meta.url)}`, import.meta.url));
const startTimeoutMs = 30_000;
const stopTimeoutMs = 5_000;

export interface MailServerStart {
  /** The server's program. Default: the one beside this file, as TypeScript or built. */
  script?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * The mail server of this state folder: the one that still runs from an earlier, perhaps killed,
 * run, else a new one.
 */
export async function findOrStartMailServer(state: string, options: MailServerStart = {}): Promise<MailServerAddress> {
  const { script = besideThis, signal } = options;
  const earlier = await findMailServer(state);
  if (earlier !== undefined) return earlier;
  const child = spawn(process.execPath, [...process.execArgv, script, state], { detached: true, stdio: 'ignore' });
  child.unref();
  try {
    return await appears(state, child, signal);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

/** Resolves when the child, or the one of another demo that was faster, has written its address. */
async function appears(
  state: string,
  child: ChildProcess,
  signal: AbortSignal | undefined,
): Promise<MailServerAddress> {
  const failed = (why: string): UsageError =>
    new UsageError(
      `The mail server of ${state} did not start (${why}): start over with --fresh, or choose another folder with --state DIR.`,
    );
  let broken: string | undefined;
  child.once('error', (error: NodeJS.ErrnoException) => {
    broken = error.code ?? 'error';
  });
  child.once('exit', (code) => {
    if (code !== 0) broken = `exit code ${code}`;
  });
  for (const until = Date.now() + startTimeoutMs; Date.now() < until; ) {
    const address = await findMailServer(state);
    if (address !== undefined) return address;
    if (broken !== undefined) throw failed(broken);
    await delay(25, undefined, { signal });
  }
  throw failed(`within ${startTimeoutMs / 1_000} s`);
}

/**
 * Ends it, unless another demo works in the folder: that one ends it then. The server itself looks
 * again before it goes, so that a demo that comes in between keeps it.
 */
export async function stopMailServer(state: string): Promise<void> {
  const address = writtenAddress(state);
  if (address === undefined || liveDemos(state).length > 0) return;
  const { pid, start } = address;
  if (!isRunning(pid, start)) return;
  process.kill(pid, 'SIGUSR2');
  for (const until = Date.now() + stopTimeoutMs; Date.now() < until; await delay(10))
    if (!isRunning(pid, start) || liveDemos(state).length > 0) return;
}
