import { describeHostClockContract, describeJobStoreModel, describeStoresContract } from '@criticizer/core/testing';
import { describe, it } from 'vitest';
import { freshStores } from './stores-on-sqlite.js';

describe('on a file', () => {
  describeStoresContract({ describe, it }, { create: () => freshStores('file') });
  describeHostClockContract({ describe, it }, { create: () => freshStores('file') });
});

describe('in memory', () => {
  describeStoresContract({ describe, it }, { create: () => freshStores('memory') });
  describeHostClockContract({ describe, it }, { create: () => freshStores('memory') });
  describeJobStoreModel({ describe, it }, { create: () => freshStores('memory') }, { runs: 15 });
});
