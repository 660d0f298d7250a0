import { describeJobStoreModel, describeStoresContract } from '@criticizer/core/testing';
import { afterAll, describe, inject, it } from 'vitest';
import { freshStores, testPool } from './stores-on-postgres.js';

const pool = testPool(inject('databaseUrl'));
afterAll(() => pool.end());

describeStoresContract({ describe, it }, { create: () => freshStores(pool) });
describeJobStoreModel({ describe, it }, { create: () => freshStores(pool) }, { runs: 15 });
