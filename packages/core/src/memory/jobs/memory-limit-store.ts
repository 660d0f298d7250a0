import { checkText, checkWhole } from '../../foundation/store-input.js';
import type { LimitStore } from '../../stores/limit-store.js';
import type { MemoryDatabase, MemoryTx } from '../shared/memory-database.js';

/** The shared numbers of `createMemoryStores`. */
export function createMemoryLimitStore(database: MemoryDatabase): LimitStore<MemoryTx> {
  return {
    storeId: database.storeId,
    get: (name) => database.read(undefined, ({ tables }) => tables.limits.get(name) ?? null),
    set: (name, value, options) =>
      database.write(options?.tx, (session) => {
        checkText('name', name, 128);
        const expected = options?.expected;
        if (expected !== undefined && expected !== null) checkWhole('expected', expected, 0);
        if (value !== null) checkWhole('value', value, 0);
        if (expected !== undefined && (session.tables.limits.get(name) ?? null) !== expected) return 'conflict';
        if (value === null) session.tables.limits.remove(name);
        else session.tables.limits.put(name, value);
        session.wake();
        return 'set';
      }),
    agree: (name, value) =>
      database.write(undefined, ({ tables }) => {
        checkText('name', name, 128);
        checkWhole('value', value, 0);
        const stored = tables.limits.get(name);
        if (stored === undefined) tables.limits.put(name, value);
        else if (stored !== value) return { outcome: 'disagrees', value: stored };
        return { outcome: stored === undefined ? 'recorded' : 'agreed' };
      }),
  };
}
