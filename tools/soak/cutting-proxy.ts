// A TCP proxy that breaks connections: at once, or after so many more bytes of the request or of
// the reply, so that a client meets half a reply, and a COMMIT whose answer never came. It also
// leaves connections half open: both sides stay connected, and no byte passes any more.
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Random } from '@criticizer/core/ports';

export interface CuttingProxy {
  port: number;
  /** Connections open now. */
  open(): number;
  /** Connections that were broken, not only told to break. */
  broken(): number;
  /** Resets one open connection, chosen by chance. False where none is open. */
  cut(random: Random): boolean;
  /** Lets `bytes` more through one of the two ways of an open connection, then resets it. False where none is open. */
  cutAfter(bytes: number, way: 'request' | 'reply', random: Random): boolean;
  /**
   * From now on no byte passes on the `count` newest of the open connections, all of them by
   * default. Gives how many they are.
   */
  swallow(count?: number): number;
  /** True: connections that are opened from now on are accepted, and no byte passes on them. */
  swallowNew(isSwallowing: boolean): void;
  /** Connections on which bytes were swallowed that somebody has sent since. */
  swallowed(): number;
  close(): Promise<void>;
}

interface Link {
  client: Socket;
  server: Socket;
  /** Bytes that may still pass, by way. */
  left: { request: number; reply: number };
  /** `silent`: no byte passes; `met`: and some were sent. */
  swallows?: 'silent' | 'met' | undefined;
}

function forward(link: Link, way: 'request' | 'reply', breakOff: () => void): void {
  const [from, to] = way === 'request' ? [link.client, link.server] : [link.server, link.client];
  from.on('data', (chunk: Buffer) => {
    if (link.swallows !== undefined) {
      link.swallows = 'met';
      return;
    }
    const passed = chunk.subarray(0, link.left[way]);
    link.left[way] -= passed.length;
    if (link.left[way] > 0) {
      if (!to.write(passed)) from.pause();
      return;
    }
    // What may pass is to arrive before the connection breaks.
    if (passed.length === 0) breakOff();
    else to.write(passed, breakOff);
  });
  to.on('drain', () => from.resume());
}

// long: one proxy, whose verbs share its links and what is done to them
export async function startCuttingProxy(upstreamSocket: string): Promise<CuttingProxy> {
  const links = new Set<Link>();
  let broken = 0;
  let swallowed = 0;
  let isSwallowing = false;
  const reset = (link: Link): void => {
    if (!links.delete(link)) return;
    if (link.swallows === 'met') swallowed++;
    link.client.resetAndDestroy();
    link.server.destroy();
  };
  const breakOff = (link: Link): void => {
    if (links.has(link)) broken++;
    reset(link);
  };
  const server: Server = createServer((client) => {
    const link: Link = { client, server: connect(upstreamSocket), left: { request: Infinity, reply: Infinity } };
    if (isSwallowing) link.swallows = 'silent';
    links.add(link);
    for (const socket of [client, link.server]) {
      socket.setNoDelay(true);
      socket.on('error', () => reset(link));
      socket.on('close', () => reset(link));
    }
    forward(link, 'request', () => breakOff(link));
    forward(link, 'reply', () => breakOff(link));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  const any = (random: Random): Link | undefined => [...links][Math.floor(random.next() * links.size)];
  return {
    port: address.port,
    open: () => links.size,
    broken: () => broken,
    cut(random) {
      const link = any(random);
      if (link !== undefined) breakOff(link);
      return link !== undefined;
    },
    cutAfter(bytes, way, random) {
      const link = any(random);
      if (link !== undefined) link.left[way] = Math.min(link.left[way], bytes);
      return link !== undefined;
    },
    swallow(count = links.size) {
      const chosen = [...links].filter(({ swallows }) => swallows === undefined).slice(-count);
      for (const link of chosen) link.swallows = 'silent';
      return chosen.length;
    },
    swallowNew(isNow) {
      isSwallowing = isNow;
    },
    swallowed: () => swallowed + [...links].filter(({ swallows }) => swallows === 'met').length,
    async close() {
      for (const { client, server: upstream } of links) {
        client.destroy();
        upstream.destroy();
      }
      await new Promise((done) => server.close(done));
    },
  };
}
