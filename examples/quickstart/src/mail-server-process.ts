import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, watch } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const addressSchema = z.object({ pid: z.number().int(), port: z.number().int() });
type Address = z.infer<typeof addressSchema>;

const startTimeoutMs = 30_000;

function written(state: string): Address | undefined {
  const file = join(state, 'mail-server.json');
  if (!existsSync(file)) return undefined;
  const parsed = addressSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  return parsed.success ? parsed.data : undefined;
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
    socket.once('timeout', () => end(false));
  });
}

/** Resolves when the server has written its address. */
function appears(state: string): Promise<Address> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const address = written(state);
      if (address === undefined) return;
      end();
      resolve(address);
    };
    const late = setTimeout(() => {
      end();
      reject(new Error(`the mail server did not start within ${startTimeoutMs / 1_000} s`));
    }, startTimeoutMs);
    const watcher = watch(state, look);
    const end = (): void => {
      clearTimeout(late);
      watcher.close();
    };
    look();
  });
}

/** The mail server of this state folder: the one that still runs from an earlier, perhaps killed, run, else a new one. */
export async function findOrStartMailServer(state: string, nodeOptions: readonly string[] = process.execArgv): Promise<Address> {
  const earlier = written(state);
  if (earlier !== undefined && (await answers(earlier.port))) return earlier;
  rmSync(join(state, 'mail-server.json'), { force: true });
  const script = fileURLToPath(new URL('./mail-server.ts', import.meta.url));
  const child = spawn(process.execPath, [...nodeOptions, script, state], { detached: true, stdio: 'ignore' });
  child.unref();
  return appears(state);
}

/** Ends it: the demo is over and nobody will ask for it again. */
export function stopMailServer(state: string): void {
  const address = written(state);
  if (address === undefined) return;
  try {
    process.kill(address.pid, 'SIGTERM');
  } catch {
    // gone already
  }
  rmSync(join(state, 'mail-server.json'), { force: true });
}
