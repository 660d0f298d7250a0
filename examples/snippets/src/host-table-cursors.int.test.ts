// #region run
import { describeCursorStoreContract } from '@criticizer/core/testing';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { describe, it } from 'vitest';
import { createHostTableCursors } from './host-table-cursors.js';

describeCursorStoreContract(
  { describe, it },
  {
    async create() {
      const stores = createSqliteStores({ file: ':memory:', migrate: 'auto' });
      await stores.transaction(async (tx) =>
        tx.exec('CREATE TABLE host_cursors (name TEXT PRIMARY KEY, position TEXT NOT NULL)'),
      );
      const cursors = createHostTableCursors(stores);
      return { stores: { ...stores, cursors }, clock: { advance: () => {} }, dispose: () => stores.close() };
    },
  },
);
// #endregion
