import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpClient, type HttpClient } from '@criticizer/core/http';
import { contractReplyText } from '@criticizer/core/testing';
import { describe, expect, it } from 'vitest';
import type { ModelFetch } from '../src/index.js';
import { type ModelSetup, readAwsKeys, setups } from './models.js';
import { inTime, makeProvider, makeRequest } from './sample-calls.js';

interface Seen {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Answers each request with the scene `complete` of the vendor, whose text is the marker of the request. */
async function startEchoServer({ scenes }: ModelSetup) {
  const seen: Seen[] = [];
  const template = JSON.stringify(scenes.complete.body);
  const said = JSON.stringify(contractReplyText).slice(1, -1);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      seen.push({ path: request.url ?? '', headers: request.headers, body });
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(template.replace(said, /marker-\d+/.exec(body)?.[0] ?? 'none'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http: HttpClient = createHttpClient({ allowPrivateOrigins: [origin] });
  return {
    seen,
    origin,
    http,
    async close() {
      await http.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Signature Version 4 over what arrived, by the headers that it says it is over. */
function signAgain({ path, headers, body }: Seen, { secretAccessKey }: ReturnType<typeof readAwsKeys>): string {
  const [, scope = '', signed = ''] =
    /Credential=[^/]+\/(\S+), ?SignedHeaders=([^,]+)/.exec(headers.authorization ?? '') ?? [];
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const canonical = [
    'POST',
    path.split('/').map(encodeURIComponent).join('/'),
    '',
    ...signed.split(';').map((name) => `${name}:${String(headers[name])}`),
    '',
    signed,
    sha256(body),
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = scope
    .split('/')
    .reduce(
      (last: string | Buffer, part) => createHmac('sha256', last).update(part).digest(),
      `AWS4${secretAccessKey}`,
    );
  return createHmac('sha256', key).update(toSign).digest('hex');
}

const calls = 200;

describe(`${calls} calls at once through one model`, () => {
  for (const setup of setups)
    it(`EGR-1: ${setup.name}: each gets its own reply, by one request that is the prepared one`, async () => {
      const server = await startEchoServer(setup);
      const credential = randomBytes(16).toString('hex');
      let fetches = 0;
      const counted =
        (fetch: ModelFetch): ModelFetch =>
        (...args) => {
          fetches += 1;
          return fetch(...args);
        };
      const provider = makeProvider(server, (fetch) => setup.build({ ...server, credential, fetch: counted(fetch) }), {
        providerOptions: setup.providerOptions,
      });
      await provider.prepare(makeRequest(), inTime()); // sees that the model uses the fetch
      fetches = 0;
      const bodies = await Promise.all(
        Array.from({ length: calls }, async (_, n) => {
          const prepared = await provider.prepare(makeRequest(`+ marker-${n}`), inTime());
          const { text } = await provider.send(prepared, inTime());
          expect(text).toBe(`marker-${n}`);
          return prepared.body;
        }),
      );
      expect(fetches).toBe(2 * calls);
      expect(server.seen.map(({ body }) => body).sort()).toEqual([...bodies].sort());
      for (const one of server.seen) {
        expect(JSON.stringify(one.headers)).toContain(credential);
        if (setup.name.includes('signed'))
          expect(one.headers.authorization).toContain(`Signature=${signAgain(one, readAwsKeys(credential))}`);
      }
      await server.close();
    });
});
