// What the service answers on HTTP: the trigger of a Perforce server, and a health check. Plain node:http; put TLS in front of it.
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorFacts, type Logger, revealSecret, type SecretSource } from '@criticizer/core';
import { z } from 'zod';

export interface EndpointOptions {
  /** 0: any free one. */
  port: number;
  /** Default 127.0.0.1: a proxy that ends TLS stands in front. */
  host?: string | undefined;
  /** Holds TRIGGER_SECRET, asked for at each request, so that it can be changed without a restart. */
  secrets: SecretSource;
  /** Takes the change in; resolves once it is stored. */
  take(change: number): Promise<{ outcome: string; reviewVersion: number | null }>;
  /** Rejects where the service cannot work. */
  health(): Promise<object>;
  logger: Logger;
}

export interface Endpoints {
  /** `http://127.0.0.1:port` */
  url: string;
  close(): Promise<void>;
}

// #region trigger
/** A trigger sends a number; anything longer is not ours. */
const maxBodyBytes = 1_024;
const triggerSchema = z.strictObject({ change: z.int().min(1).max(2_147_483_647) });

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compared as digests, in constant time: neither length nor a common beginning can be measured. During a rotation both secrets pass. */
async function isAuthorized(request: IncomingMessage, secrets: SecretSource): Promise<boolean> {
  const given = /^Bearer ([\x21-\x7e]{1,512})$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const { current, previous } = await secrets.read('TRIGGER_SECRET');
  const versions = previous === undefined ? [current] : [current, previous];
  return versions.map(({ secret }) => timingSafeEqual(digest(given), digest(revealSecret(secret)))).includes(true);
}

/** Null for a body that is too long. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBodyBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parse(body: string): { change: number } | null {
  try {
    return triggerSchema.parse(JSON.parse(body));
  } catch {
    return null;
  }
}

/** Who asks is checked before a byte of the body is read; what is answered with 200 is stored. A repeat is harmless. */
async function trigger(request: IncomingMessage, { secrets, take }: EndpointOptions): Promise<[status: number, answer: object]> {
  if (!(await isAuthorized(request, secrets))) return [401, { error: 'unauthorized' }];
  const body = await readBody(request);
  if (body === null) return [413, { error: 'the body is too long' }];
  const wanted = parse(body);
  if (wanted === null) return [400, { error: 'expected {"change": 123}' }];
  return [200, await take(wanted.change)];
}
// #endregion

async function answer(request: IncomingMessage, options: EndpointOptions): Promise<[status: number, answer: object]> {
  const route = `${request.method} ${request.url}`;
  if (route === 'POST /changes') return trigger(request, options);
  if (route === 'GET /health') return [200, await options.health()];
  return [404, { error: 'POST /changes and GET /health are all there is' }];
}

function send(response: ServerResponse, status: number, body: object): void {
  // A body that was not read to its end must not be taken for the next request.
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', 'cache-control': 'no-store' });
  response.end(`${JSON.stringify(body)}\n`);
}

/** Listens. Nothing of a request enters a log or an answer. */
export async function startEndpoints(options: EndpointOptions): Promise<Endpoints> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000, maxHeaderSize: 8_192 }, (request, response) => {
    answer(request, options)
      .catch((error: unknown): [number, object] => {
        const facts = errorFacts(error);
        options.logger.error(facts, 'a request could not be answered');
        return [503, { error: facts.code }];
      })
      .then(([status, body]) => send(response, status, body));
  });
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
