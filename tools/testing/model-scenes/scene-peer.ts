import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SceneName, Scenes } from './scenes.js';

/** One request that reached the server. */
export interface SeenRequest {
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A server on loopback that plays scenes. */
export interface ScenePeer {
  origin: string;
  play(scene: SceneName | 'silent'): void;
  /** Oldest first. */
  requests(): readonly SeenRequest[];
  close(): Promise<void>;
}

/** Starts a server that plays these scenes, `complete` first. */
export async function startScenePeer(scenes: Scenes): Promise<ScenePeer> {
  const seen: SeenRequest[] = [];
  let scene: SceneName | 'silent' = 'complete';
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({ url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() });
      if (scene === 'silent') return;
      const { status = 200, headers = {}, body } = scenes[scene];
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    play(next) {
      scene = next;
    },
    requests: () => seen,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
