import { checkActor, nameActor } from '../../foundation/actor.js';
import { pageLimit } from '../../foundation/store-input.js';
import { checkPreference, checkRecipientKeys } from '../../stores/input/mail-input.js';
import type { PreferenceStore, StoredPreference } from '../../stores/preference-store.js';
import type { MemoryDatabase, MemoryTx } from '../shared/memory-database.js';

const byBytes = (a: StoredPreference, b: StoredPreference): number =>
  Buffer.compare(Buffer.from(a.recipientKey), Buffer.from(b.recipientKey));

/** Preferences of recipients in `createMemoryStores` (NOT-10). */
export function createMemoryPreferenceStore(database: MemoryDatabase): PreferenceStore<MemoryTx> {
  return {
    storeId: database.storeId,
    find: (recipientKeys) =>
      database.read(undefined, ({ tables }) => {
        checkRecipientKeys(recipientKeys);
        return [...new Set(recipientKeys)].flatMap((key) => structuredClone(tables.preferences.get(key) ?? []));
      }),
    set: (recipientKey, preference, actor, options) =>
      database.write(options?.tx, ({ tables, now }) => {
        checkPreference(recipientKey, preference);
        checkActor('actor', actor);
        const { mails, linkOnly } = preference;
        const known = tables.preferences.get(recipientKey);
        if (known?.mails === mails && known.linkOnly === linkOnly) return 'unchanged';
        tables.preferences.put(recipientKey, {
          ...{ recipientKey, mails, linkOnly },
          ...{ setBy: nameActor(actor), updatedAt: now },
        });
        return 'set';
      }),
    list: ({ mails, after, limit }) =>
      database.read(undefined, ({ tables }) => {
        const size = pageLimit(limit);
        const isBehind = ({ recipientKey }: StoredPreference): boolean =>
          after === undefined || Buffer.compare(Buffer.from(recipientKey), Buffer.from(after)) > 0;
        const rows = tables.preferences.rows().filter((row) => (mails ?? row.mails) === row.mails && isBehind(row));
        return structuredClone(rows.sort(byBytes).slice(0, size));
      }),
  };
}
