import { describeJobStoreModel, describeStoresContract } from '@criticizer/core/testing';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { createLimitedRole, type LimitedRole } from './limited-role.js';
import { freshStores, testPool } from './stores-on-postgres.js';

const owner = testPool(inject('databaseUrl'));
let limited: LimitedRole;
beforeAll(async () => {
  limited = await createLimitedRole(owner, inject('databaseUrl'));
});
afterAll(async () => {
  await limited.drop();
  await owner.end();
});

// The role may read and write rows of the migrated schema, nothing else: that is all the stores ever need.
const create = () => freshStores(owner, limited);
describeStoresContract({ describe, it }, { create });
describeJobStoreModel({ describe, it }, { create }, { runs: 15 });
