import {
  checkActor,
  checkPreference,
  checkRecipientKeys,
  nameActor,
  type PreferenceRow,
  pageLimit,
  toPreference,
} from '@criticizer/core/internal';
import type { PreferenceStore } from '@criticizer/core/ports';
import type { SqliteTx } from '../shared/sqlite-database.js';
import type { SqliteFacet } from '../shared/sqlite-facet.js';

const write = `INSERT INTO recipient_preferences (recipient_key, mails, link_only, actor_type, actor_id, updated_at)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (recipient_key) DO UPDATE SET mails = excluded.mails, link_only = excluded.link_only,
    actor_type = excluded.actor_type, actor_id = excluded.actor_id, updated_at = excluded.updated_at
  WHERE recipient_preferences.mails <> excluded.mails OR recipient_preferences.link_only <> excluded.link_only`;
const list = `SELECT * FROM recipient_preferences WHERE (?1 IS NULL OR mails = ?1) AND recipient_key > ?2
  ORDER BY recipient_key LIMIT ? + 0`;

/** Preferences of recipients, on SQLite (NOT-10). */
export function createSqlitePreferenceStore({ storeId, gate }: SqliteFacet): PreferenceStore<SqliteTx> {
  return {
    storeId,
    async find(recipientKeys) {
      checkRecipientKeys(recipientKeys);
      const keys = JSON.stringify(recipientKeys);
      const sql = 'SELECT * FROM recipient_preferences WHERE recipient_key IN (SELECT value FROM json_each(?))';
      return gate.read(undefined, (session) => session.all<PreferenceRow>(sql, keys).map(toPreference));
    },
    async set(recipientKey, preference, actor, options) {
      checkPreference(recipientKey, preference);
      checkActor('actor', actor);
      const { type, id } = nameActor(actor);
      const { mails, linkOnly } = preference;
      return gate.write(options?.tx, (session) =>
        session.run(write, recipientKey, mails, linkOnly ? 1 : 0, type, id, session.nowMs) === 1 ? 'set' : 'unchanged',
      );
    },
    async list({ mails, after = '', limit }) {
      const size = pageLimit(limit);
      return gate.read(undefined, (session) =>
        session.all<PreferenceRow>(list, mails ?? null, after, size).map(toPreference),
      );
    },
  };
}
