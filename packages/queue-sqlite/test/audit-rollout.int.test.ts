import { join } from 'node:path';
import { describeAuditRolloutContract } from '@criticizer/core/testing';
import { describe, it } from 'vitest';
import { createStoresOnSqlite } from '../src/sqlite-stores.js';
import { scratchFolder } from './stores-on-sqlite.js';

describeAuditRolloutContract(
  { describe, it },
  {
    async create() {
      const folder = scratchFolder();
      let passedMs = 0;
      const file = join(folder.path, 'criticizer.db');
      // No power is lost in a test: the cheaper mode keeps the suite fast.
      const open = (modules?: ['queue', 'review']) =>
        createStoresOnSqlite(
          { file, synchronous: 'normal', modules },
          { hostMs: () => Date.UTC(2026, 0, 1) + passedMs, monotonicMs: () => passedMs },
        );
      const before = open(['queue', 'review']);
      await before.migrate();
      const [stores, another] = [open(), open()];
      return {
        ...{ before, stores, another },
        clock: {
          advance(ms) {
            passedMs += ms;
          },
        },
        async dispose() {
          for (const one of [before, stores, another]) await one.close();
          folder.remove();
        },
      };
    },
  },
);
