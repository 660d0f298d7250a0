import { describeJobStoreModel, describeStoresContract } from '@criticizer/core/testing';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { createGrantedRoles, type GrantedRoles } from './granted-roles.js';
import { freshStores, testPool } from './stores-on-postgres.js';

const owner = testPool(inject('databaseUrl'));
let granted: GrantedRoles;
beforeAll(async () => {
  granted = await createGrantedRoles(owner, inject('databaseUrl'), { hasKeeper: false });
});
afterAll(async () => {
  await granted.drop();
  await owner.end();
});

// The role has what the grant script gives, nothing else: that is all the stores ever need.
const create = () => freshStores(owner, granted);
describeStoresContract({ describe, it }, { create });
describeJobStoreModel({ describe, it }, { create }, { runs: 15 });
