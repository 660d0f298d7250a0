// #region run
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Secret, type SecretSource } from '@criticizer/core';
import { createHttpClient } from '@criticizer/core/http';
import { noUsage } from '@criticizer/core/llm';
import { contractReplyText, describeLlmProviderContract, type LlmPeerScene } from '@criticizer/core/testing';
import { describe, it } from 'vitest';
import { createGatewayProvider } from './gateway-provider.js';

const credential = `key-${Math.random().toString(36).slice(2)}`;
const reply =
  (stop: string, text = contractReplyText) =>
  (response: ServerResponse) =>
    response.end(JSON.stringify({ text, stop }));
const status =
  (code: number, headers = {}) =>
  (response: ServerResponse) =>
    response.writeHead(code, headers).end();

/** What the gateway of your house would do in each scene. */
const plays: Readonly<Record<LlmPeerScene, (response: ServerResponse) => unknown>> = {
  complete: reply('done'),
  truncated: reply('length'),
  filtered: reply('filtered'),
  refused: reply('declined'),
  empty: reply('done', ''),
  context_overflow: reply('too_long'),
  unknown_stop: reply('nobody-knows'),
  unknown_stop_cut: reply('nobody-knows', contractReplyText.slice(0, 8)),
  text_beside_tool_call: () => undefined, // never played: the gateway has no tools
  two_tool_calls: () => undefined,
  rate_limited: status(429, { 'retry-after': '7' }),
  unavailable: status(503),
  unauthorized: status(401),
  unreadable: (response) => response.end('<html>'),
  silent: () => undefined,
};

describeLlmProviderContract(
  { describe, it },
  {
    async create() {
      let scene: LlmPeerScene = 'complete';
      const seen: { url: string; headers: IncomingHttpHeaders; body: string }[] = [];
      const server = createServer((request, response) => {
        const parts: Buffer[] = [];
        request.on('data', (part: Buffer) => parts.push(part));
        request.on('end', () => {
          seen.push({ url: request.url ?? '', headers: request.headers, body: Buffer.concat(parts).toString('utf8') });
          plays[scene](response);
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const http = createHttpClient({ allowPrivateOrigins: [origin] });
      const source: SecretSource = {
        contract: 1,
        read: async () => ({ current: { secret: new Secret(credential), version: '1' } }),
      };
      return {
        provider: createGatewayProvider({ url: `${origin}/review`, http, key: { source, name: 'GATEWAY_KEY' } }),
        credential,
        usage: noUsage, // the gateway counts nothing
        play: (next) => {
          scene = next;
        },
        requests: () => seen,
        async dispose() {
          server.closeAllConnections();
          server.close();
          await http.close();
        },
      };
    },
  },
);
// #endregion
