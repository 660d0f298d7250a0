import { checkText } from '../../foundation/store-input.js';
import type { CursorStore } from '../../stores/cursor-store.js';
import type { MemoryDatabase, MemoryTx } from '../shared/memory-database.js';

/** The watchers' cursors of `createMemoryStores`. */
export function createMemoryCursorStore(database: MemoryDatabase): CursorStore<MemoryTx> {
  return {
    storeId: database.storeId,
    get: (name) => database.read(undefined, ({ tables }) => tables.cursors.get(name)?.value ?? null),
    advance: (name, expected, next, options) =>
      database.write(options?.tx, ({ tables, now }) => {
        checkText('name', name);
        checkText('next', next, 65_536);
        if ((tables.cursors.get(name)?.value ?? null) !== expected) return 'moved';
        tables.cursors.put(name, { value: next, updatedAt: now });
        return 'advanced';
      }),
  };
}
