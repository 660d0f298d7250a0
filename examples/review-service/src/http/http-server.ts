// What the service answers on HTTP: triggers of Perforce servers, tests of P4 Code Review, health
// and metrics. Put TLS in front of it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { errorFacts, type Logger } from '@criticizer/core';
import type { HttpEndpoint } from '@criticizer/p4';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Readiness } from './readiness.js';

/** The endpoints of one Perforce server. */
export interface ServerEndpoints {
  trigger: HttpEndpoint;
  swarmTest?: HttpEndpoint | undefined;
}

export interface HttpServerOptions {
  /** Default 127.0.0.1: a proxy that ends TLS stands in front. */
  host?: string | undefined;
  /** 0: any free one. */
  port: number;
  /** Null while the service is not composed yet, as when its database is out. */
  servers(): ReadonlyMap<string, ServerEndpoints> | null;
  readiness(): Promise<Readiness>;
  /** Answers the links of mails; null while the service is not composed yet, undefined where mails have none. */
  links?: (() => ((request: Request) => Promise<Response>) | null | undefined) | undefined;
  /** What a client may take to send its headers; default 5 s. Others wait for its connection as long. */
  headersTimeoutMs?: number | undefined;
  /** Writes the metrics in the text format of Prometheus. */
  metrics?: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  logger: Logger;
}

export interface HttpServer {
  /** `http://127.0.0.1:port` */
  url: string;
  /** Answers what is under way, then closes. */
  close(): Promise<void>;
}

// #region routes
function addRoutes(app: FastifyInstance, { servers, readiness, metrics, links }: HttpServerOptions): void {
  // Before a byte of the body is read: the endpoint asks who calls first.
  app.addHook('onRequest', async (request, reply) => {
    const [, serverId = '', kind = ''] =
      /^\/servers\/([a-z0-9.-]+)\/(changes|swarm)$/.exec(request.url.split('?')[0] ?? '') ?? [];
    if (serverId === '') return;
    const known = servers();
    const endpoint = kind === 'changes' ? known?.get(serverId)?.trigger : known?.get(serverId)?.swarmTest;
    if (known === null) return reply.code(503).send({ error: 'STARTING' });
    if (endpoint === undefined) return reply.code(404).send({ error: 'no such server' });
    reply.hijack();
    await endpoint.node(request.raw, reply.raw);
  });
  app.get('/live', async () => ({ status: 'live' }));
  app.get('/ready', async (_request, reply) => {
    const ready = await readiness();
    return reply.code(ready.status === 'ready' ? 200 : 503).send(ready);
  });
  if (links !== undefined) addLinks(app, links);
  if (metrics !== undefined)
    app.get('/metrics', (request, reply) => {
      reply.hijack();
      metrics(request.raw, reply.raw);
    });
}
// #endregion

/** Links of mails, which readers open in a browser and whose form posts to the same address. */
function addLinks(app: FastifyInstance, links: NonNullable<HttpServerOptions['links']>): void {
  app.register(async (scope) => {
    // The handler reads the body itself, and only with a good link: a slow one keeps nobody waiting.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.all('/links', async (request, reply) => {
      const answer = links();
      if (answer === undefined) return reply.code(404).send({ error: 'not found' });
      if (answer === null) return reply.code(503).send({ error: 'STARTING' });
      const { method, raw } = request;
      const body = method === 'POST' ? { body: Readable.toWeb(raw) as ReadableStream, duplex: 'half' as const } : {};
      // The handler reads the query alone; who the host is, is the proxy's to know.
      const url = new URL(request.url, 'http://localhost');
      const response = await answer(new Request(url, { method, ...body }));
      reply.code(response.status).headers(Object.fromEntries(response.headers));
      if (method !== 'GET' && method !== 'HEAD') reply.header('connection', 'close'); // its body may be unread
      return reply.send(Buffer.from(await response.arrayBuffer()));
    });
  });
}

/** Listens. Nothing of a request enters a log or an answer. Rejects where the port cannot be had. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host = '127.0.0.1', port, logger, headersTimeoutMs = 5_000 } = options;
  const app = Fastify({
    logger: false,
    bodyLimit: 1_024,
    requestTimeout: 10_000,
    forceCloseConnections: 'idle',
    // Node looks for connections that are too slow every 30 s unless it is told otherwise.
    http: {
      maxHeaderSize: 8_192,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs),
    },
  });
  app.server.maxConnections = 64;
  app.setErrorHandler(async (error, _request, reply) => {
    const facts = errorFacts(error);
    const { statusCode = 500 } = error as { statusCode?: number };
    if (statusCode >= 400 && statusCode < 500) return reply.code(statusCode).send({ error: facts.code });
    logger.error({ event: 'http.request_failed', ...facts }, 'a request could not be answered');
    return reply.code(500).send({ error: facts.code });
  });
  app.setNotFoundHandler(async (_request, reply) => reply.code(404).send({ error: 'not found' }));
  app.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'no-store'));
  addRoutes(app, options);
  const url = await app.listen({ host, port });
  return { url, close: () => app.close() };
}
