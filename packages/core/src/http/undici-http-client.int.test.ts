import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { CriticizerError } from '../foundation/errors.js';
import type { SecurityEvent } from '../telemetry/security-events.js';
import type { HttpClient } from './http-client.js';
import type { ResolveHost } from './target-guard.js';
import { createHttpClient, type HttpClientOptions } from './undici-http-client.js';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function listen(server: Server | TcpServer): Promise<number> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));
}

async function serve(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ origin: string; port: number }> {
  const server = createServer(handler);
  const port = await listen(server);
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${port}`, port };
}

function client(options: HttpClientOptions): HttpClient {
  const made = createHttpClient(options);
  cleanups.push(() => made.close());
  return made;
}

async function failureOf(promise: Promise<unknown>): Promise<CriticizerError> {
  const error = await promise.then(
    () => new Error('expected a failure'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(CriticizerError);
  return error as CriticizerError;
}

describe('createHttpClient over real sockets', () => {
  it('says which origins it was given by name, and lets plain http through to these alone', async () => {
    const { origin } = await serve((_, response) => response.end('ok'));
    const http = client({ allowPrivateOrigins: [origin] });
    expect(http.isPrivateOriginAllowed?.(origin)).toBe(true);
    expect(http.isPrivateOriginAllowed?.(`${origin}/path?a=b`)).toBe(true);
    for (const other of [origin.replace('http:', 'https:'), `${origin}1`, 'http://models.example', 'none', 'null', ''])
      expect(http.isPrivateOriginAllowed?.(other)).toBe(false);
    expect((await http.exchange({ method: 'GET', url: origin })).status).toBe(200);
    expect((await failureOf(http.exchange({ method: 'GET', url: 'http://models.example' }))).code).toBe('HTTP_BLOCKED');
  });

  it('does one exchange and gives any status as an answer', async () => {
    const { origin } = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.writeHead(418, { 'x-one': ['a', 'b'], 'content-type': 'text/plain' });
        response.end(
          `${request.method} ${request.url} ${request.headers['x-sent']} ${Buffer.concat(chunks).toString()}`,
        );
      });
    });
    const http = client({ allowPrivateOrigins: [origin] });
    const answer = await http.exchange({
      method: 'POST',
      url: `${origin}/v1?a=b`,
      headers: { 'X-Sent': 'yes' },
      body: 'körper',
    });
    expect(answer.status).toBe(418);
    expect(answer.headers['x-one']).toBe('a, b');
    expect(Buffer.from(answer.body).toString()).toBe('POST /v1?a=b yes körper');
  });

  it('gives a redirect as it is and does not follow it', async () => {
    let visits = 0;
    const { origin } = await serve((_request, response) => {
      visits++;
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    const answer = await client({ allowPrivateOrigins: [origin] }).exchange({ method: 'GET', url: `${origin}/` });
    expect([answer.status, visits]).toEqual([302, 1]);
  });

  it('cuts off at the cap, with and without a content-length', async () => {
    const { origin } = await serve((request, response) => {
      if (request.url === '/declared') response.setHeader('content-length', '1000000');
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const http = client({ allowPrivateOrigins: [origin], maxResponseBytes: 100_000 });
    for (const path of ['/declared', '/streamed'])
      expect((await failureOf(http.exchange({ method: 'GET', url: origin + path }))).code).toBe('HTTP_TOO_LARGE');
  });

  it('decodes gzip it did not ask for, and refuses a bomb', async () => {
    const small = gzipSync('answer');
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const { origin } = await serve((request, response) => {
      if (request.headers['accept-encoding'] !== 'identity') response.statusCode = 400;
      const encoding = request.url === '/odd' ? 'compress' : 'gzip';
      response.setHeader('content-encoding', encoding);
      response.end(request.url === '/bomb' ? bomb : request.url === '/broken' ? small.subarray(0, 9) : small);
    });
    const http = client({ allowPrivateOrigins: [origin], maxResponseBytes: 1_000_000 });
    const answer = await http.exchange({ method: 'GET', url: `${origin}/small` });
    expect([answer.status, Buffer.from(answer.body).toString()]).toEqual([200, 'answer']);
    expect((await failureOf(http.exchange({ method: 'GET', url: `${origin}/bomb` }))).code).toBe('HTTP_TOO_LARGE');
    expect((await failureOf(http.exchange({ method: 'GET', url: `${origin}/broken` }))).code).toBe('HTTP_MALFORMED');
    expect((await failureOf(http.exchange({ method: 'GET', url: `${origin}/odd` }))).code).toBe('HTTP_MALFORMED');
  });

  it('ERR-1: a body that stalls, headers that never come and a slow whole are NETWORK_TIMEOUT with their phase', async () => {
    const { origin } = await serve((request, response) => {
      if (request.url === '/silent') return;
      response.writeHead(200);
      response.write('x');
      if (request.url === '/drip') cleanups.push(clearing(setInterval(() => response.write('x'), 20)));
    });
    const http = client({ allowPrivateOrigins: [origin], headersTimeoutMs: 150, bodyTimeoutMs: 150 });
    const phase = async (path: string, timeoutMs: number) => {
      const error = await failureOf(http.exchange({ method: 'GET', url: origin + path }, { timeoutMs }));
      return [error.code, error.category, error.details['phase']];
    };
    expect(await phase('/silent', 5_000)).toEqual(['NETWORK_TIMEOUT', 'network', 'headers']);
    expect(await phase('/stalled', 5_000)).toEqual(['NETWORK_TIMEOUT', 'network', 'body']);
    expect(await phase('/drip', 300)).toEqual(['NETWORK_TIMEOUT', 'network', 'total']);
  });

  it('ERR-1: a reset before headers and one in the middle of the body are NETWORK_RESET', async () => {
    const { origin } = await serve((request, response) => {
      if (request.url === '/middle') response.writeHead(200, { 'content-length': '100' }).write('half');
      setTimeout(() => response.socket?.resetAndDestroy(), 20);
    });
    const http = client({ allowPrivateOrigins: [origin] });
    for (const path of ['/at-once', '/middle'])
      expect(await failureOf(http.exchange({ method: 'POST', url: origin + path, body: 'x' })), path).toMatchObject({
        code: 'NETWORK_RESET',
        category: 'network',
      });
  });

  it('ERR-1: a premature end of the body is no answer', async () => {
    const { origin } = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setTimeout(() => response.socket?.end(), 20);
    });
    expect(
      (await failureOf(client({ allowPrivateOrigins: [origin] }).exchange({ method: 'GET', url: origin }))).code,
    ).toBe('NETWORK_RESET');
  });

  it('ERR-1: a closed port is NETWORK_REFUSED and a peer that is not HTTP is HTTP_MALFORMED without its bytes', async () => {
    const tcp = createTcpServer((socket) => socket.end('SSH-2.0-peer\r\n'));
    const port = await listen(tcp);
    cleanups.push(() => void tcp.close());
    const origin = `http://127.0.0.1:${port}`;
    const error = await failureOf(client({ allowPrivateOrigins: [origin] }).exchange({ method: 'GET', url: origin }));
    expect(error.code).toBe('HTTP_MALFORMED');
    expect(error.cause).toBeUndefined();

    const gone = createTcpServer();
    const closed = `http://127.0.0.1:${await listen(gone)}`;
    await new Promise((resolve) => gone.close(resolve));
    expect(
      (await failureOf(client({ allowPrivateOrigins: [closed] }).exchange({ method: 'GET', url: closed }))).code,
    ).toBe('NETWORK_REFUSED');
  });

  it('an abort ends the exchange with ABORTED, or with the typed reason given', async () => {
    const { origin } = await serve(() => undefined);
    const http = client({ allowPrivateOrigins: [origin] });
    const abortWith = async (reason?: unknown) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 30);
      return failureOf(http.exchange({ method: 'GET', url: origin }, { signal: controller.signal }));
    };
    expect(await abortWith()).toMatchObject({ code: 'ABORTED', category: 'conflict' });
    expect((await abortWith(new CriticizerError('LEASE_LOST', 'lost', { category: 'conflict' }))).code).toBe(
      'LEASE_LOST',
    );
    expect((await failureOf(http.exchange({ method: 'GET', url: origin }, { signal: AbortSignal.abort() }))).code).toBe(
      'ABORTED',
    );
    expect(
      (await failureOf(http.exchange({ method: 'GET', url: origin }, { signal: AbortSignal.timeout(20) }))).code,
    ).toBe('NETWORK_TIMEOUT');
  });

  it('refuses a private address by name without connecting, and raises http.blocked', async () => {
    let visits = 0;
    const { port } = await serve((_request, response) => {
      visits++;
      response.end();
    });
    const events: SecurityEvent[] = [];
    const resolveHost: ResolveHost = async () => [{ address: '127.0.0.1', family: 4 }];
    const http = client({ resolveHost, securityEvents: { emit: (event) => void events.push(event) } });
    const error = await failureOf(http.exchange({ method: 'GET', url: `https://rebound.example:${port}/` }));
    expect(error).toMatchObject({ code: 'HTTP_BLOCKED', category: 'policy', details: { reason: 'address' } });
    expect((await failureOf(http.exchange({ method: 'GET', url: `http://127.0.0.1:${port}/` }))).code).toBe(
      'HTTP_BLOCKED',
    );
    expect(visits).toBe(0);
    expect(events.map((event) => event.type)).toEqual(['http.blocked', 'http.blocked']);
  });

  it('resolves once per connection, connects to what was checked, and checks anew for the next connection (DNS rebinding)', async () => {
    const { port } = await serve((request, response) => {
      response.setHeader('connection', 'close');
      response.end(request.headers.host);
    });
    const answers = ['127.0.0.1', '169.254.169.254', '127.0.0.1'];
    let asked = 0;
    const resolveHost: ResolveHost = async () => [{ address: answers[asked++] ?? '127.0.0.1', family: 4 }];
    const origin = `http://pinned.example:${port}`;
    const http = client({ resolveHost, allowPrivateOrigins: [origin] });
    expect(Buffer.from((await http.exchange({ method: 'GET', url: origin })).body).toString()).toBe(
      `pinned.example:${port}`,
    );
    expect(asked).toBe(1);
    expect((await failureOf(http.exchange({ method: 'GET', url: origin }))).code).toBe('HTTP_BLOCKED');
    expect((await http.exchange({ method: 'GET', url: origin })).status).toBe(200);
    expect(asked).toBe(3);
  });

  it('names a host that does not resolve NETWORK_DNS', async () => {
    const resolveHost: ResolveHost = async () => {
      throw Object.assign(new Error('no such host'), { code: 'ENOTFOUND' });
    };
    expect(
      (await failureOf(client({ resolveHost }).exchange({ method: 'GET', url: 'https://nowhere.example/' }))).code,
    ).toBe('NETWORK_DNS');
  });

  it('refuses options and headers that are not the caller to set', async () => {
    for (const options of [
      { connectTimeoutMs: 0 },
      { maxResponseBytes: 1.5 },
      { totalTimeoutMs: 2 ** 31 },
      { maxConnections: -1 },
    ])
      expect(() => createHttpClient(options)).toThrow(TypeError);
    const http = client({});
    await expect(
      http.exchange({ method: 'GET', url: 'https://models.example/', headers: { Host: 'other.example' } }),
    ).rejects.toThrow(TypeError);
  });

  it('takes nothing new once closed', async () => {
    const { origin } = await serve((_request, response) => void response.end());
    const http = createHttpClient({ allowPrivateOrigins: [origin] });
    expect((await http.exchange({ method: 'GET', url: origin })).status).toBe(200);
    await http.close();
    expect((await failureOf(http.exchange({ method: 'GET', url: origin }))).code).toBe('ABORTED');
  });
});

function clearing(timer: NodeJS.Timeout): () => void {
  return () => clearInterval(timer);
}
