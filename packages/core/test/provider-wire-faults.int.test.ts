import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isCriticizerError } from '../src/foundation/errors.js';
import type { HttpClient } from '../src/http/http-client.js';
import { createHttpClient } from '../src/http/undici-http-client.js';
import type { LlmProvider } from '../src/llm/llm-provider.js';
import { answerWith, type Fault, type FaultyServer, pourBody, startFaultyServer, writeHead } from './faulty-server.js';
import { sampleRequest } from './provider-samples.js';
import { type VendorWire, vendorWires } from './vendor-wires.js';

const reviewText = '{"findings":[]}';

/** Faults, given the bytes of a whole reply, and what the provider must say. None may be read as a reply. */
const faults: readonly [title: string, make: (reply: string) => Fault, expected: string][] = [
  ['resets the connection before the answer', () => (socket) => socket.resetAndDestroy(), 'network NETWORK_RESET'],
  ['ends the connection before the answer', () => (socket) => socket.end(), 'network NETWORK_RESET'],
  [
    'ends the connection in the middle of the head',
    () => (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le'),
    'network NETWORK_RESET',
  ],
  [
    'resets the connection in the middle of the body',
    (reply) => (socket) =>
      socket.write(writeHead(200, reply.length) + reply.slice(0, -9), () => socket.resetAndDestroy()),
    'network NETWORK_RESET',
  ],
  [
    'says a length that is too long, after a reply that reads as whole',
    (reply) => (socket) => socket.end(writeHead(200, reply.length + 9) + reply),
    'network NETWORK_RESET',
  ],
  [
    'ends a chunked body without its last chunk, after a reply that reads as whole',
    (reply) => (socket) => socket.end(`${writeHead(200)}${reply.length.toString(16)}\r\n${reply}\r\n`),
    'network NETWORK_RESET',
  ],
  [
    'says a length that is too short',
    (reply) => (socket) => socket.write(writeHead(200, reply.length - 9) + reply),
    'upstream LLM_REPLY_UNREADABLE',
  ],
  [
    'stalls in the middle of the body',
    (reply) => (socket) => socket.write(writeHead(200, reply.length) + reply.slice(0, -9)),
    'network NETWORK_TIMEOUT',
  ],
  ['does not speak HTTP', () => (socket) => socket.end('220 mail.example ESMTP\r\n\r\n'), 'upstream HTTP_MALFORMED'],
];

async function send(provider: LlmProvider, timeoutMs = 20_000): Promise<string> {
  const call = { signal: new AbortController().signal, timeoutMs };
  const prepared = await provider.prepare(sampleRequest(provider.modes[0] ?? 'prompt'), call);
  return provider.send(prepared, call).then(
    ({ stop, text }) => `${stop} ${text}`,
    (error: unknown) => (isCriticizerError(error) ? `${error.category} ${error.code}` : String(error)),
  );
}

interface Lane {
  vendor: VendorWire;
  server: FaultyServer;
  http: HttpClient;
  provider: LlmProvider;
}

async function openLane(vendor: VendorWire): Promise<Lane> {
  const server = await startFaultyServer();
  const http = createHttpClient({ allowPrivateOrigins: [server.origin], bodyTimeoutMs: 100 });
  return { vendor, server, http, provider: vendor.create(server.origin, http) };
}

describe('every provider, at a server that', () => {
  let lanes: readonly Lane[] = [];
  /** Runs a case for all vendors at once; the result stands under the vendor's name. */
  const inEveryLane = async <T>(run: (lane: Lane, whole: string) => Promise<T>): Promise<Record<string, T>> =>
    Object.fromEntries(
      await Promise.all(
        lanes.map(async (lane): Promise<[string, T]> => {
          return [lane.vendor.name, await run(lane, JSON.stringify(lane.vendor.reply(reviewText)))];
        }),
      ),
    );
  const forEveryVendor = <T>(result: T): Record<string, T> =>
    Object.fromEntries(vendorWires.map(({ name }) => [name, result]));

  beforeEach(async () => {
    lanes = await Promise.all(vendorWires.map(openLane));
  });
  afterEach(async () => {
    await Promise.all(lanes.map(({ server }) => server.close()));
    await Promise.all(lanes.map(({ http }) => http.close()));
  });

  it.each(faults)('%s, fails with its code, and answers the next request', async (_title, make, expected) => {
    const results = await inEveryLane(async ({ vendor, server, provider }, whole) => {
      server.play(make(whole), answerWith(200, vendor.reply(reviewText)));
      return [await send(provider), server.requests(), await send(provider)];
    });
    expect(results).toEqual(forEveryVendor([expected, 1, `complete ${reviewText}`]));
  });

  it('trickles without end, gives up at the deadline', async () => {
    const results = await inEveryLane(async ({ server, provider }) => {
      server.play((socket) => {
        socket.write(writeHead(200, 1_000_000));
        const timer = setInterval(() => socket.write(' '), 5);
        socket.on('close', () => clearInterval(timer));
      });
      return send(provider, 150);
    });
    expect(results).toEqual(forEveryVendor('network NETWORK_TIMEOUT'));
  });

  it('sends a second answer behind the first, never reads it for the next request', async () => {
    const results = await inEveryLane(async ({ vendor, server, provider }, whole) => {
      const forged = JSON.stringify(vendor.reply('{"findings":["forged"]}'));
      server.play(
        (socket) => socket.write(writeHead(200, whole.length) + whole + writeHead(200, forged.length) + forged),
        answerWith(200, vendor.reply(reviewText)),
      );
      return [await send(provider), await send(provider)];
    });
    expect(results).toEqual(forEveryVendor([`complete ${reviewText}`, `complete ${reviewText}`]));
  });

  it.each([
    ['a length', false],
    ['chunks', true],
  ])('sends 100 MB with %s, refuses them in bounded memory', async (_framing, isChunked) => {
    const taken: number[] = [];
    const results = await inEveryLane(async ({ server, provider }) => {
      const pour = pourBody(100_000_000, isChunked);
      server.play(pour.fault);
      const result = await send(provider);
      taken.push(pour.taken());
      return result;
    });
    expect(results).toEqual(forEveryVendor('upstream HTTP_TOO_LARGE'));
    // 8 MiB is the client's limit; the rest is what sockets hold.
    expect(Math.max(...taken)).toBeLessThan(24 * 1_024 * 1_024);
  });

  it('refuses the response schema, gives LLM_SCHEMA_REFUSED for the mode ladder', async () => {
    const results = await inEveryLane(async ({ vendor, server, provider }) => {
      server.play(answerWith(vendor.schemaRefusal.status, vendor.schemaRefusal.body));
      return send(provider);
    });
    expect(results).toEqual(forEveryVendor('validation LLM_SCHEMA_REFUSED'));
  });
});
