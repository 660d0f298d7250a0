import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuditSink } from '../src/audit/sinks/audit-sink.js';
import type { HttpClient } from '../src/http/http-client.js';
import { createHttpClient } from '../src/http/undici-http-client.js';
import type { ReceivedEvent, SinkScene } from '../src/testing/ports/audit/audit-sink-scenes.js';

/** One request as the far end read it. */
export interface FarRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** What one kind of far end does with a request; it stores events by `store`. */
export type FarHandler = (request: FarRequest, response: ServerResponse, far: FarEnd) => void;

/** An HTTP server on loopback that plays the scenes of the sink contract. */
export interface FarEnd {
  origin: string;
  scene: SinkScene;
  play(scene: SinkScene): void;
  requests: FarRequest[];
  stored: ReceivedEvent[];
  store(event: ReceivedEvent): void;
  /** Resolves once a request of the scene `stalls` was read. */
  stalled: Promise<void>;
  close(): Promise<void>;
}

/** Ends an answer with JSON. */
export function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body === undefined ? '' : JSON.stringify(body));
}

/** Scenes that every HTTP server plays alike. True where the request is done with. */
export function playCommon({ scene }: { scene: string }, response: ServerResponse): boolean {
  if (scene === 'rate-limits') reply(response, 429, undefined, { 'retry-after': '7' });
  else if (scene === 'fails') reply(response, 503, undefined);
  else if (scene === 'answers-in-html') {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><title>Sign in</title>');
  } else return false;
  return true;
}

/** Starts a far end of one kind. */
export async function startFarEnd(handle: FarHandler): Promise<FarEnd> {
  let onStalled = (): void => undefined;
  const stalled = new Promise<void>((resolve) => {
    onStalled = resolve;
  });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const read = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
      far.requests.push(read);
      if (far.scene === 'stalls') return onStalled();
      return handle(read, response, far);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const far: FarEnd = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    scene: 'takes',
    play(scene) {
      far.scene = scene;
    },
    requests: [],
    stored: [],
    store: (event) => far.stored.push(event),
    stalled,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return far;
}

/** A sink over HTTP before a far end of its kind, as the contract of sinks takes it. */
export async function openHttpSink(handle: FarHandler, create: (far: FarEnd, http: HttpClient) => AuditSink) {
  const far = await startFarEnd(handle);
  const http = createHttpClient({ allowPrivateOrigins: [far.origin] });
  return {
    ...{ sink: create(far, http), far },
    received: async () => far.stored,
    play: far.play,
    stalled: () => far.stalled,
    async dispose() {
      await far.close();
      await http.close();
    },
  };
}
