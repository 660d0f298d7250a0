import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CriticizerError, Secret, silentLogger } from '@criticizer/core';
import { createTriggerEndpoint, type SeenChange } from '@criticizer/p4';
import { afterEach, describe, expect, it } from 'vitest';
import { type HttpServer, startHttpServer } from '../src/http/http-server.js';

let endpoints: HttpServer | undefined;
afterEach(() => endpoints?.close());

const [secret, previous] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];

async function setUp(
  take = async (number: number): Promise<SeenChange> => ({
    number,
    outcome: 'submitted',
    jobId: '1',
    reviewVersion: number,
  }),
  headersTimeoutMs?: number,
) {
  const taken: number[] = [];
  const logged: unknown[] = [];
  const version = (text: string) => ({ secret: new Secret(text), version: text.slice(0, 2) });
  const log = (...given: unknown[]): void => void logged.push(given);
  const logger = { ...silentLogger, warn: log, error: log };
  const trigger = createTriggerEndpoint({
    secret: {
      source: { contract: 1, read: async () => ({ current: version(secret), previous: version(previous) }) },
      name: 'TRIGGER_SECRET',
    },
    intake: {
      take: async ([change = 0]) => {
        taken.push(change);
        return [await take(change)];
      },
    },
    logger,
  });
  endpoints = await startHttpServer({
    port: 0,
    headersTimeoutMs,
    servers: () => new Map([['main', { trigger }]]),
    readiness: async () => ({ status: 'ready', checks: {} }),
    logger,
  });
  const url = `${endpoints.url}/servers/main`;
  const post = (body: string, authorization: string | null = `Bearer ${secret}`) =>
    fetch(`${url}/changes`, { method: 'POST', body, headers: authorization === null ? {} : { authorization } });
  return { url, post, taken, logged };
}

describe('endpoints', () => {
  it('take a change from whoever has the secret, the one before it too', async () => {
    const { post, taken, url } = await setUp();
    const response = await post('{"change": 12}');
    expect([response.status, await response.json()]).toEqual([200, { outcome: 'submitted', reviewVersion: 12 }]);
    expect((await post('{"change":13}', `Bearer ${previous}`)).status).toBe(200);
    expect(taken).toEqual([12, 13]);
    const { origin } = new URL(url);
    expect(await (await fetch(`${origin}/live`)).json()).toEqual({ status: 'live' });
    expect(await (await fetch(`${origin}/ready`)).json()).toEqual({ status: 'ready', checks: {} });
  });

  it.each([
    null,
    '',
    'Bearer ',
    `Bearer ${secret.slice(0, -1)}`,
    `Bearer ${secret}x`,
    `Basic ${secret}`,
    `bearer ${secret}`,
    `Bearer ${'x'.repeat(4_000)}`,
  ])('refuse other credentials (%#)', async (authorization) => {
    const { post, taken } = await setUp();
    expect((await post('{"change": 12}', authorization)).status).toBe(401);
    expect(taken).toEqual([]);
  });

  it('tell the log how many strangers there were, once for each power of ten', async () => {
    const { post, logged } = await setUp();
    for (let call = 0; call < 12; call += 1) await post('{"change": 12}', `Bearer ${call}`);
    const event = 'endpoint.caller_refused';
    expect(logged).toEqual([1, 10].map((refused) => [{ event, refused }, 'callers without the secret were refused']));
  });

  // Node itself would look for them after 30 s.
  it('answer behind more half-sent headers than there are connections', { timeout: 20_000 }, async () => {
    const { url } = await setUp(undefined, 300);
    const { port, origin } = new URL(url);
    const sockets = Array.from({ length: 64 }, () => connect(Number(port), '127.0.0.1'));
    try {
      for (const socket of sockets)
        socket
          .on('error', () => undefined)
          .resume()
          .write('GET /live HTTP/1.1\r\nhost: a');
      await Promise.all(sockets.map((socket) => once(socket, 'close')));
      expect((await fetch(`${origin}/live`)).status).toBe(200);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  it('answer a stranger before his body is read', async () => {
    const { url, taken } = await setUp();
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${url}/changes`, { method: 'POST', headers: { 'content-length': 1e9 } }, (response) => {
        resolve(response.statusCode);
        sent.destroy();
      });
      sent.on('error', reject);
      sent.write('{');
    });
    expect([status, taken]).toEqual([401, []]);
  });

  it.each([
    ['{"change": 12, "path": "//depot/x"}', 400],
    ['{"change": "12"}', 400],
    ['{"change": 0}', 400],
    ['{"change": 1.5}', 400],
    ['{"change": 99999999999}', 400],
    ['12', 400],
    ['', 400],
    ['{', 400],
    [`{"change": 12}${' '.repeat(2_000)}`, 413],
  ])('refuse the body %j', async (body, status) => {
    const { post, taken } = await setUp();
    const response = await post(body);
    expect([response.status, taken]).toEqual([status, []]);
  });

  it('say 503 and a code where the change could not be stored, and log nothing of the request', async () => {
    const { post, logged } = await setUp(async () => {
      throw new CriticizerError('STORE_BUSY', `no room for ${secret}`, { category: 'conflict' });
    });
    const response = await post('{"change": 12}');
    expect([response.status, await response.json()]).toEqual([503, { error: 'STORE_BUSY' }]);
    expect(JSON.stringify(logged)).not.toContain(secret);
    expect(logged).toHaveLength(1);
  });

  it('know no other path or method', async () => {
    const { url } = await setUp();
    const statuses = [
      await fetch(`${url}/changes`),
      await fetch(`${url}/`, { method: 'DELETE' }),
      await fetch(`${url}/swarm`),
    ];
    expect(statuses.map(({ status }) => status)).toEqual([405, 404, 404]);
  });
});

const script = fileURLToPath(new URL('../trigger/notify-criticizer.sh', import.meta.url));

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write('skipped: no curl on this machine, which the trigger script needs\n');
    return false;
  }
}

describe('trigger script', () => {
  it.runIf(hasCurl())('tells the service of a change, shows the secret to nobody, and never fails', async () => {
    const { url, taken } = await setUp();
    const directory = mkdtempSync(join(tmpdir(), 'criticizer-trigger-'));
    try {
      const header = join(directory, 'criticizer.header');
      writeFileSync(header, `authorization: Bearer ${secret}\n`, { mode: 0o600 });
      const run = async (...args: string[]): Promise<unknown> => {
        const child = spawn('sh', [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
        const said: Buffer[] = [];
        for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => void said.push(part));
        const [code] = await once(child, 'close');
        return [code, Buffer.concat(said).toString()];
      };
      expect(await run(url, header, '12')).toEqual([0, '']);
      for (const wrong of ['12; id', '-1', '', '$(id)']) expect(await run(url, header, wrong)).toEqual([0, '']);
      expect(await run('http://127.0.0.1:9', header, '13')).toEqual([0, '']);
      expect(await run(url, join(directory, 'absent'), '14')).toMatchObject([0, expect.anything()]);
      expect(taken).toEqual([12]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('stands on its page as it is run', () => {
    const page = readFileSync(new URL('../../../docs/how-to/trigger-a-review.md', import.meta.url), 'utf8');
    expect(page).toContain(`\`\`\`sh\n${readFileSync(script, 'utf8')}\`\`\``);
  });
});
