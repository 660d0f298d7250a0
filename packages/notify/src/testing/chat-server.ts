import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that was read to its end. */
export interface ChatRequest {
  method: string;
  url: URL;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** A server of this machine, listening. */
export interface ListeningServer {
  origin: string;
  close(): Promise<void>;
}

const maxBodyBytes = 4_000_000;

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > maxBodyBytes) throw new RangeError('too large');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Listens on a free port of this machine; `answer` gets whole requests. A fault of `answer` is a 500. */
export async function listen(
  answer: (request: ChatRequest, response: ServerResponse) => void,
): Promise<ListeningServer> {
  const server = createServer((request, response) => {
    readBody(request)
      .then((body) => {
        const { method = 'GET', headers } = request;
        answer({ method, url: new URL(request.url ?? '/', 'http://127.0.0.1'), headers, body }, response);
      })
      .catch(() => response.headersSent || response.writeHead(500).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function sendText(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body);
}
