// A TCP proxy that breaks connections: at once, or after so many more bytes of the request or of the reply, so that a client meets half
// a reply, and a COMMIT whose answer never came.
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Random } from '@criticizer/core';

export interface CuttingProxy {
  port: number;
  /** Connections open now. */
  open(): number;
  /** Resets one open connection, chosen by chance. False where none is open. */
  cut(random: Random): boolean;
  /** Lets `bytes` more through one of the two ways of an open connection, then resets it. False where none is open. */
  cutAfter(bytes: number, way: 'request' | 'reply', random: Random): boolean;
  close(): Promise<void>;
}

interface Link {
  client: Socket;
  server: Socket;
  /** Bytes that may still pass, by way. */
  left: { request: number; reply: number };
}

function forward(link: Link, way: 'request' | 'reply', reset: () => void): void {
  const [from, to] = way === 'request' ? [link.client, link.server] : [link.server, link.client];
  from.on('data', (chunk: Buffer) => {
    const passed = chunk.subarray(0, link.left[way]);
    link.left[way] -= passed.length;
    if (link.left[way] > 0) {
      if (!to.write(passed)) from.pause();
      return;
    }
    // What may pass is to arrive before the connection breaks.
    if (passed.length === 0) reset();
    else to.write(passed, reset);
  });
  to.on('drain', () => from.resume());
}

export async function startCuttingProxy(upstreamSocket: string): Promise<CuttingProxy> {
  const links = new Set<Link>();
  const server: Server = createServer((client) => {
    const link: Link = { client, server: connect(upstreamSocket), left: { request: Infinity, reply: Infinity } };
    const reset = (): void => {
      if (!links.delete(link)) return;
      client.resetAndDestroy();
      link.server.destroy();
    };
    links.add(link);
    for (const socket of [client, link.server]) {
      socket.setNoDelay?.(true);
      socket.on('error', reset);
      socket.on('close', reset);
    }
    forward(link, 'request', reset);
    forward(link, 'reply', reset);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  const any = (random: Random): Link | undefined => [...links][Math.floor(random.next() * links.size)];
  return {
    port: address.port,
    open: () => links.size,
    cut(random) {
      const link = any(random);
      link?.client.resetAndDestroy();
      link?.server.destroy();
      return link !== undefined;
    },
    cutAfter(bytes, way, random) {
      const link = any(random);
      if (link !== undefined) link.left[way] = Math.min(link.left[way], bytes);
      return link !== undefined;
    },
    async close() {
      for (const { client, server: upstream } of links) {
        client.destroy();
        upstream.destroy();
      }
      await new Promise((done) => server.close(done));
    },
  };
}
