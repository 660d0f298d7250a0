// What the service answers on HTTP: triggers of a Perforce server, tests of P4 Code Review, and a
// health check. Plain node:http; put TLS in front of it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorFacts, type Logger } from '@criticizer/core';
import type { HttpEndpoint } from '@criticizer/p4';

export interface EndpointOptions {
  /** 0: any free one. */
  port: number;
  /** Default 127.0.0.1: a proxy that ends TLS stands in front. */
  host?: string | undefined;
  /** At `/changes`. */
  trigger: HttpEndpoint;
  /** At `/swarm`. */
  swarmTest?: HttpEndpoint | undefined;
  /** At `/health`. Rejects where the service cannot work. */
  health(): Promise<object>;
  logger: Logger;
}

export interface Endpoints {
  /** `http://127.0.0.1:port` */
  url: string;
  close(): Promise<void>;
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', 'cache-control': 'no-store' });
  response.end(`${JSON.stringify(body)}\n`);
}

async function answerHealth(response: ServerResponse, { health, logger }: EndpointOptions): Promise<void> {
  try {
    send(response, 200, await health());
  } catch (error) {
    const facts = errorFacts(error);
    logger.error(facts, 'the health check failed');
    send(response, 503, { error: facts.code });
  }
}

// #region routes
async function route(request: IncomingMessage, response: ServerResponse, options: EndpointOptions): Promise<void> {
  const [path] = (request.url ?? '').split('?');
  if (path === '/changes') return options.trigger.node(request, response);
  if (path === '/swarm' && options.swarmTest !== undefined) return options.swarmTest.node(request, response);
  if (path === '/health' && request.method === 'GET') return answerHealth(response, options);
  send(response, 404, { error: 'POST /changes, POST /swarm and GET /health are all there is' });
}
// #endregion

/** Listens. Nothing of a request enters a log or an answer. */
export async function startEndpoints(options: EndpointOptions): Promise<Endpoints> {
  const limits = { requestTimeout: 10_000, headersTimeout: 5_000, maxHeaderSize: 8_192 };
  const server = createServer(limits, (request, response) => void route(request, response, options));
  server.maxConnections = 64;
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(options.port, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
