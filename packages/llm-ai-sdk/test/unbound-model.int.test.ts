import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { createHttpClient } from '@criticizer/core/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setups } from './models.js';
import { inTime, makeModel, makeProvider, makeRequest } from './sample-calls.js';

const canary = 'canary-of-the-prompt-93d0';
const credential = randomBytes(16).toString('hex');
const http = createHttpClient();
let server: Server;
let origin = '';
let connections = 0;
let received = '';

beforeAll(async () => {
  server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await http.close();
  await new Promise((resolve) => server.close(resolve));
});

/** Connections since the server had `at`. It takes them in their order: those before this function's own have come. */
async function countConnectionsSince(at: number): Promise<number> {
  await fetch(origin, { method: 'POST', body: 'count' });
  return connections - at - 1;
}

describe('a model that was built without the fetch', () => {
  for (const { name, build } of setups)
    it(`EGR-3: ${name}: is refused before it opens a connection`, async () => {
      const at = connections;
      const provider = makeProvider({ origin, http }, (_fetch) => build({ origin, credential }));
      for (const mode of provider.modes)
        await expect(provider.prepare(makeRequest(canary, mode), inTime())).rejects.toThrow(
          new TypeError(
            'createAiSdkProvider: model: expected one that makes one POST, with the fetch that it is built with',
          ),
        );
      expect(await countConnectionsSince(at)).toBe(0);
    });

  it('EGR-3: with a transport that heeds no signal: it sends nothing of the request', async () => {
    received = '';
    const send = ({ prompt }: object & { prompt?: unknown }) =>
      new Promise((resolve) => {
        const sent = request(origin, { method: 'POST' }, (response) => response.resume().on('end', resolve));
        sent.end(JSON.stringify(prompt));
      });
    const model = makeModel(async (_fetch, options) => send(options));
    const provider = makeProvider({ origin, http }, model);
    await expect(provider.prepare(makeRequest(canary), inTime())).rejects.toThrow(TypeError);
    expect(received).toContain('ping');
    expect(received).not.toContain(canary);
  });
});
