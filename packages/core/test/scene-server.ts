import { randomBytes } from 'node:crypto';
import { startScenePeer } from '../../../tools/testing/model-scenes/scene-peer.js';
import type { Scenes } from '../../../tools/testing/model-scenes/scenes.js';
import type { HttpClient } from '../src/http/http-client.js';
import { createHttpClient } from '../src/http/undici-http-client.js';
import type { KeyedProviderOptions } from '../src/llm/http-provider/provider-options.js';
import type { LlmProvider } from '../src/llm/llm-provider.js';
import { createEnvironmentSecrets } from '../src/secrets/environment-secrets.js';
import type { SecretSource } from '../src/secrets/secret-source.js';
import {
  contractReplyText,
  contractSecondText,
  type LlmProviderUnderTest,
} from '../src/testing/ports/llm/llm-provider-peer.js';

/** What the models of the contract suite write. */
export const contractTexts = { reply: contractReplyText, second: contractSecondText };

/** A server on loopback that plays scenes, a client for it, and a credential under the name `KEY`. */
export interface SceneServer extends Pick<LlmProviderUnderTest, 'play' | 'requests' | 'dispose'> {
  origin: string;
  http: HttpClient;
  credential: string;
  secrets: SecretSource;
}

/** Starts a server that plays these scenes, `complete` first. */
export async function startSceneServer(scenes: Scenes): Promise<SceneServer> {
  const { close, ...peer } = await startScenePeer(scenes);
  const http = createHttpClient({ allowPrivateOrigins: [peer.origin] });
  const credential = randomBytes(16).toString('hex');
  return {
    ...peer,
    http,
    credential,
    secrets: createEnvironmentSecrets({ env: { KEY: credential } }),
    async dispose() {
      const closed = close(); // first ends what a silent peer holds open
      await http.close();
      await closed;
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
