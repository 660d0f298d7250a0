import { checkDocumentWrite, type DocumentStore } from '../../stores/document-store.js';
import type { MemoryDatabase, MemoryTx } from '../shared/memory-database.js';

/** The versioned documents of `createMemoryStores`. Values given out are copies. */
export function createMemoryDocumentStore(database: MemoryDatabase): DocumentStore<MemoryTx> {
  return {
    storeId: database.storeId,
    read: (name) =>
      database.read(undefined, ({ tables }) =>
        structuredClone(tables.documents.get(name) ?? { name, version: 0, value: null, updatedAt: null }),
      ),
    write: (name, expectedVersion, value, options) =>
      database.write(options?.tx, ({ tables, now }) => {
        checkDocumentWrite(name, expectedVersion, value);
        const stored = tables.documents.get(name)?.version ?? 0;
        if (stored !== expectedVersion) return { outcome: 'conflict', version: stored };
        tables.documents.put(name, { name, version: stored + 1, value: structuredClone(value), updatedAt: now });
        return { outcome: 'written', version: stored + 1 };
      }),
  };
}
