import { checkMessage, checkMessagePruning } from '../../stores/input/mail-input.js';
import type { MessageStore } from '../../stores/message-store.js';
import type { MemoryDatabase, MemoryTx } from '../shared/memory-database.js';

/** Messages of a host's mails in `createMemoryStores`. */
export function createMemoryMessageStore(database: MemoryDatabase): MessageStore<MemoryTx> {
  return {
    storeId: database.storeId,
    save: (bytes, about, options) =>
      database.write(options?.tx, ({ tables, now, newId }) => {
        checkMessage(bytes, about);
        const id = newId();
        tables.messages.put(id, { changelistId: about.changelistId, bytes: Uint8Array.from(bytes), createdAt: now });
        return id;
      }),
    load: (id) =>
      database.read(undefined, ({ tables }) => {
        const found = tables.messages.get(id);
        return found === undefined ? null : Uint8Array.from(found.bytes);
      }),
    discard: (id, options) => database.write(options?.tx, ({ tables }) => tables.messages.remove(id)),
    prune: (pruning) =>
      database.write(undefined, ({ tables, now }) => {
        checkMessagePruning(pruning);
        const open = new Set(
          tables.outbox
            .rows()
            .filter(({ row }) => row.status !== 'sent' && row.status !== 'cancelled')
            .map(({ row }) => row.messageArtifactId),
        );
        const old = [...tables.messages.entries()]
          .filter(([id, { createdAt }]) => now.getTime() - createdAt.getTime() >= pruning.olderThanMs && !open.has(id))
          .sort(([, a], [, b]) => a.createdAt.getTime() - b.createdAt.getTime())
          .slice(0, pruning.limit);
        for (const [id] of old) tables.messages.remove(id);
        return old.length;
      }),
  };
}
