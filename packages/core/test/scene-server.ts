import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpClient } from '../src/http/http-client.js';
import { createHttpClient } from '../src/http/undici-http-client.js';
import type { KeyedProviderOptions } from '../src/llm/http-provider/provider-options.js';
import type { LlmProvider } from '../src/llm/llm-provider.js';
import { createEnvironmentSecrets } from '../src/secrets/environment-secrets.js';
import type { SecretSource } from '../src/secrets/secret-source.js';
import type { LlmPeerScene, LlmProviderUnderTest } from '../src/testing/ports/llm-provider-peer.js';

/** How a server of one vendor answers in one scene. */
export interface SceneAnswer {
  status?: number;
  headers?: Record<string, string>;
  body: object | string;
}

/** Answers for every scene but `silent`, which is no answer at all. */
export type Scenes = Readonly<Record<Exclude<LlmPeerScene, 'silent'>, SceneAnswer>>;

/** A server on loopback that plays scenes, a client for it, and a credential under the name `KEY`. */
export interface SceneServer extends Pick<LlmProviderUnderTest, 'play' | 'requests' | 'dispose'> {
  origin: string;
  http: HttpClient;
  credential: string;
  secrets: SecretSource;
}

/** Starts a server that plays these scenes, `complete` first. */
export async function startSceneServer(scenes: Scenes): Promise<SceneServer> {
  const seen: { url: string; headers: IncomingHttpHeaders; body: string }[] = [];
  let scene: LlmPeerScene = 'complete';
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({ url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() });
      if (scene === 'silent') return;
      const { status = 200, headers = {}, body } = scenes[scene];
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = createHttpClient({ allowPrivateOrigins: [origin] });
  const credential = randomBytes(16).toString('hex');
  return {
    origin,
    http,
    credential,
    secrets: createEnvironmentSecrets({ env: { KEY: credential } }),
    play(next) {
      scene = next;
    },
    requests: () => seen,
    async dispose() {
      server.closeAllConnections();
      await http.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * A provider on such a server, made by `create` from the options that all vendors share; again with
 * `extraBody` where a case asks for switches.
 */
export async function createOnScenes(
  scenes: Scenes,
  {
    create,
    ...facts
  }: Pick<LlmProviderUnderTest, 'usage' | 'unplayable'> & {
    create(options: KeyedProviderOptions, server: SceneServer): LlmProvider;
  },
): Promise<LlmProviderUnderTest> {
  const server = await startSceneServer(scenes);
  const options: KeyedProviderOptions = {
    id: 'house',
    model: 'm-1',
    baseUrl: server.origin,
    http: server.http,
    apiKey: { source: server.secrets, name: 'KEY' },
    limits: { contextTokens: 8_000, maxOutputTokens: 1_000 },
  };
  return {
    ...server,
    ...facts,
    provider: create(options, server),
    withExtraBody: (extraBody) => create({ ...options, extraBody }, server),
  };
}
