import { randomBytes } from 'node:crypto';
import { createHttpClient } from '@criticizer/core/http';
import { describeLlmProviderContract, type LlmProviderUnderTest } from '@criticizer/core/testing';
import { describe, it } from 'vitest';
import { startScenePeer } from '../../../tools/testing/model-scenes/scene-peer.js';
import { type ModelSetup, setups } from './models.js';
import { makeProvider } from './sample-calls.js';

async function createUnderTest(setup: ModelSetup): Promise<LlmProviderUnderTest> {
  const { build, scenes, unplayable, providerOptions, reasoningTokens = 3 } = setup;
  const { close, ...peer } = await startScenePeer(scenes);
  const { origin } = peer;
  const http = createHttpClient({ allowPrivateOrigins: [origin] });
  const credential = randomBytes(16).toString('hex');
  return {
    ...peer,
    provider: makeProvider({ origin, http }, (fetch) => build({ origin, credential, fetch }), { providerOptions }),
    credential,
    usage: { inputTokens: 9, outputTokens: 4, cachedInputTokens: 6, reasoningTokens },
    unplayable,
    async dispose() {
      const closed = close(); // first ends what a silent peer holds open
      await http.close();
      await closed;
    },
  };
}

for (const setup of setups)
  describe(setup.name, () => describeLlmProviderContract({ describe, it }, { create: () => createUnderTest(setup) }));
