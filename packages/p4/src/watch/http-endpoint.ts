import { Buffer } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorFacts, type JsonObject, type Logger, revealSecret, type SecretSource } from '@criticizer/core/ports';

/** Something to mount on a host's HTTP server, at a path of the host's choice, in the two forms that servers have. */
export interface HttpEndpoint {
  /** For node:http, Express, Fastify's `raw` and their kind; in front of any body parser. Never rejects. */
  node(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** For hosts that speak Fetch. Never rejects. */
  fetch(request: Request): Promise<Response>;
}

/**
 * What a caller shows as `Authorization: Bearer …`. Asked for at each request; during a rotation
 * the one before passes too (SEC-5).
 */
export interface CallerSecret {
  source: SecretSource;
  name: string;
}

/** A request of a caller who showed the secret. */
export interface AuthorizedCall {
  query: URLSearchParams;
  /** Without parameters, in lower case; empty where there is none. */
  mediaType: string;
  body: string;
}

export type EndpointAnswer = readonly [status: number, body: JsonObject];

export interface HttpEndpointOptions {
  secret: CallerSecret;
  methods: readonly string[];
  maxBodyBytes: number;
  logger: Logger;
  answer(call: AuthorizedCall): Promise<EndpointAnswer>;
}

/** What is read before a byte of the body. */
interface RequestHead {
  method: string;
  query: URLSearchParams;
  authorization: string;
  contentType: string;
  contentLength: string;
}

/**
 * Asks who calls before it reads a byte of the body, and reads no more than `maxBodyBytes`. Nothing
 * of a request enters a log or an answer, but how many callers were refused enters the log. What
 * `answer` throws becomes a 503 with the error's code. Throws a TypeError for a secret that is none.
 */
export function createHttpEndpoint(options: HttpEndpointOptions): HttpEndpoint {
  const { secret, methods, maxBodyBytes, logger, answer } = options;
  if (typeof secret?.source?.read !== 'function' || typeof secret.name !== 'string')
    throw new TypeError('secret: expected a source of secrets and a name');

  let refused = 0;

  async function respond(head: RequestHead, body: AsyncIterable<Uint8Array> | null): Promise<EndpointAnswer> {
    try {
      if (!methods.includes(head.method)) return [405, { error: `expected ${methods.join(' or ')}` }];
      if (!(await isAuthorized(head.authorization, secret))) {
        refused += 1;
        if (isPowerOfTen(refused))
          logger.warn({ event: 'endpoint.caller_refused', refused }, 'callers without the secret were refused');
        return [401, { error: 'unauthorized' }];
      }
      const text = Number(head.contentLength) > maxBodyBytes ? null : await readText(body, maxBodyBytes);
      if (text === null) return [413, { error: 'the body is too long' }];
      const mediaType = head.contentType.replace(/;.*$/s, '').trim().toLowerCase();
      return await answer({ query: head.query, mediaType, body: text });
    } catch (error) {
      const facts = errorFacts(error);
      logger.error({ event: 'endpoint.request_failed', ...facts }, 'a request could not be answered');
      return [503, { error: facts.code }];
    }
  }

  return {
    async node(request, response) {
      const { method = '', url = '', headers } = request;
      const { authorization = '', 'content-type': contentType = '', 'content-length': contentLength = '' } = headers;
      const query = new URLSearchParams(/\?(.*)$/s.exec(url)?.[1] ?? '');
      const body: AsyncIterable<Uint8Array> = request.iterator({ destroyOnReturn: false });
      const [status, said] = await respond({ method, query, authorization, contentType, contentLength }, body);
      // A body that was not read to its end must not be taken for the next request.
      response.writeHead(status, { ...answerHeaders, connection: 'close' });
      response.end(`${JSON.stringify(said)}\n`);
    },
    async fetch(request) {
      const header = (name: string): string => request.headers.get(name) ?? '';
      const [status, said] = await respond(
        {
          method: request.method,
          query: new URL(request.url).searchParams,
          authorization: header('authorization'),
          contentType: header('content-type'),
          contentLength: header('content-length'),
        },
        request.body,
      );
      return new Response(`${JSON.stringify(said)}\n`, { status, headers: answerHeaders });
    },
  };
}

/** One line for the first, the tenth, the hundredth: who guesses fills no log. */
const isPowerOfTen = (count: number): boolean => /^10*$/.test(String(count));

const answerHeaders = { 'content-type': 'application/json', 'cache-control': 'no-store' };

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compared as digests, in constant time: neither length nor a common beginning can be measured. */
async function isAuthorized(authorization: string, { source, name }: CallerSecret): Promise<boolean> {
  const given = /^Bearer ([\x21-\x7e]{1,512})$/.exec(authorization)?.[1];
  if (given === undefined) return false;
  const { current, previous } = await source.read(name);
  const versions = previous === undefined ? [current] : [current, previous];
  return versions.map(({ secret }) => timingSafeEqual(digest(given), digest(revealSecret(secret)))).includes(true);
}

/** Null for a body that is too long. */
async function readText(body: AsyncIterable<Uint8Array> | null, maxBytes: number): Promise<string | null> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > maxBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
