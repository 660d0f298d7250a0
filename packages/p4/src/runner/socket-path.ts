import { lstat, unlink } from 'node:fs/promises';
import { createConnection } from 'node:net';

/** True where a process accepts connections there. */
function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Removes the socket that a killed runner left behind. Throws `TypeError` for anything else at the path. */
export async function freeSocketPath(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return;
  if (!found.isSocket()) throw new TypeError('socketPath: something other than a socket is there');
  if (await isListening(path)) throw new TypeError('socketPath: another runner listens there');
  await unlink(path);
}
