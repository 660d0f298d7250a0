// The destinations of an audit soak: HTTP servers that fail at seeded points, and remember what they took.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What one destination took under one key. */
interface Taken {
  eventId: string;
  /** Simulated times at which it took the event, the first one and repeats. */
  atMs: number[];
}

/** One destination. */
export interface FarSink {
  id: string;
  url: string;
  taken: Map<string, Taken>;
  /** Takes nothing and refuses connections until `listen`. */
  listen(): Promise<void>;
  close(): Promise<void>;
}

interface FarSinkOptions {
  id: string;
  random(): number;
  nowMs(): number;
  isDown: boolean;
}

/** Share of requests that end in one of the faults. */
const faultShare = 0.06;

function answer(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, headers).end();
}

/** A server that takes most requests; some it refuses, of some the answer is lost after it took them. */
export async function openFarSink({ id, random, nowMs, isDown }: FarSinkOptions): Promise<FarSink> {
  const taken = new Map<string, Taken>();
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const chance = random() / faultShare;
      if (chance < 0.4) return answer(response, 503);
      if (chance < 0.5) return answer(response, 429, { 'retry-after': '1' });
      const key = String(request.headers['webhook-id']);
      const eventId = (JSON.parse(body) as { data: { id: string } }).data.id;
      const known = taken.get(key) ?? { eventId, atMs: [] };
      known.atMs.push(nowMs());
      taken.set(key, known);
      if (chance < 1) return void response.destroy();
      return answer(response, known.atMs.length > 1 && random() < 0.5 ? 409 : 204);
    });
  });
  const listenOn = (port: number): Promise<void> =>
    new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  await listenOn(0);
  const { port } = server.address() as AddressInfo;
  if (isDown) await close();
  return { id, url: `http://127.0.0.1:${port}/`, taken, listen: () => listenOn(port), close };
}
