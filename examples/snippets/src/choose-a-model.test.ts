import { createEnvironmentSecrets } from '@criticizer/core';
import { createHttpClient } from '@criticizer/core/http';
import { expect, it } from 'vitest';
import { createModels } from './choose-a-model.js';

it('makes two providers that say where they are', () => {
  const { providers } = createModels(createHttpClient(), createEnvironmentSecrets({ env: {} }));
  expect(providers.map(({ id, host }) => [id, host])).toEqual([
    ['house', 'gpu1.studio.example'],
    ['vendor', 'api.anthropic.com'],
  ]);
});
