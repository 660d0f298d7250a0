import { describeHostClockContract, describeJobStoreModel, describeStoresContract } from '@criticizer/core/testing';
import { describe, it } from 'vitest';
import { freshStores } from './stores-on-sqlite.js';

describe('on a file', () => {
  describeStoresContract({ describe, it }, { create: () => freshStores('file') });
  describeHostClockContract({ describe, it }, { create: () => freshStores('file') });
});

// Both run the same SQL by the same code; the whole contract runs on memory too by `npm run soak:sqlite`.
describe('in memory', () => {
  if (process.env['MODE'] === 'soak') describeStoresContract({ describe, it }, { create: () => freshStores('memory') });
  describeHostClockContract({ describe, it }, { create: () => freshStores('memory') });
  describeJobStoreModel({ describe, it }, { create: () => freshStores('memory') }, { runs: 15 });
});
