import { describeAuditRolloutContract } from '@criticizer/core/testing';
import { afterAll, describe, inject, it } from 'vitest';
import { freshSchema, openStores, testPool } from './stores-on-postgres.js';

const pool = testPool(inject('databaseUrl'));
afterAll(() => pool.end());

describeAuditRolloutContract(
  { describe, it },
  {
    async create() {
      const schema = freshSchema();
      let nowMs = Date.UTC(2026, 0, 1);
      const open = (modules?: ['queue', 'review']) => openStores({ pool, schema, modules }, { nowMs: () => nowMs });
      const before = open(['queue', 'review']);
      await before.migrate();
      const [stores, another] = [open(), open()];
      return {
        ...{ before, stores, another },
        clock: {
          advance(ms) {
            nowMs += ms;
          },
        },
        async dispose() {
          for (const one of [before, stores, another]) await one.close();
          await pool.query(`DROP SCHEMA ${schema} CASCADE`);
        },
      };
    },
  },
);
