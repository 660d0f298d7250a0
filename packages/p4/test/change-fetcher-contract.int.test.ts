import { describeChangeFetcherContract } from '@criticizer/core/testing';
import { describe, it } from 'vitest';
import { contractModel, disposeSimulators, setUpFetcher } from './fetcher-setup.js';

describeChangeFetcherContract(
  { describe, it },
  {
    async create() {
      const { fetcher } = setUpFetcher(contractModel);
      return { fetcher, known: 5, unknown: 99, dispose: async () => disposeSimulators() };
    },
  },
);
