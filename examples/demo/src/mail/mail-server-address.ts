import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { isRunning, startOf } from '../state/demo-lease.js';

/** Where a mail server listens; `start` tells its process from a later one of the same number. */
const addressSchema = z.object({
  pid: z.number().int().positive(),
  start: z.string(),
  port: z.number().int().min(1).max(65_535),
});
export type MailServerAddress = z.infer<typeof addressSchema>;

const fileOf = (state: string): string => join(state, 'mail-server.json');

/** Undefined where nobody wrote one, or no more than a part or nonsense of it. */
export function writtenAddress(state: string): MailServerAddress | undefined {
  try {
    return addressSchema.safeParse(JSON.parse(readFileSync(fileOf(state), 'utf8'))).data;
  } catch {
    return undefined;
  }
}

/** True where an SMTP greeting comes. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port, timeout: 2_000 });
    const end = (greeted: boolean): void => {
      socket.destroy();
      resolve(greeted);
    };
    socket.once('data', (bytes) => end(bytes.toString('latin1').startsWith('220')));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
    socket.once('timeout', () => end(false));
  });
}

/** The mail server of this state folder that runs and answers. */
export async function findMailServer(state: string): Promise<MailServerAddress | undefined> {
  const address = writtenAddress(state);
  if (address === undefined || !isRunning(address.pid, address.start)) return undefined;
  return (await answers(address.port)) ? address : undefined;
}

/** Says where this process listens. False where another mail server of this folder was first. */
export async function publishAddress(state: string, port: number): Promise<boolean> {
  const partial = join(state, `mail-server.${process.pid}`);
  writeFileSync(partial, JSON.stringify({ pid: process.pid, start: startOf(process.pid) ?? '', port }), {
    mode: 0o600,
  });
  try {
    for (;;) {
      try {
        linkSync(partial, fileOf(state)); // whole, and only one of two
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      if ((await findMailServer(state)) !== undefined) return false;
      rmSync(fileOf(state), { recursive: true, force: true });
    }
  } finally {
    rmSync(partial, { force: true });
  }
}

/** Takes back what this process published. */
export function withdrawAddress(state: string): void {
  if (writtenAddress(state)?.pid === process.pid) rmSync(fileOf(state), { force: true });
}
