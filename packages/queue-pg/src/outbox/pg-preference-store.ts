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
import { instantColumns } from '../shared/instants.js';
import type { PgTx } from '../shared/pg-database.js';
import type { PgFacet } from '../shared/pg-facet.js';

const select = `SELECT p.recipient_key, p.mails, p.link_only, p.actor_type, p.actor_id, ${instantColumns('p', ['updated_at'])}
  FROM {schema}.recipient_preferences AS p`;
const write = `INSERT INTO {schema}.recipient_preferences AS p (recipient_key, mails, link_only, actor_type, actor_id, updated_at)
  VALUES ($1, $2, $3, $4, $5, {now})
  ON CONFLICT (recipient_key) DO UPDATE SET mails = excluded.mails, link_only = excluded.link_only,
    actor_type = excluded.actor_type, actor_id = excluded.actor_id, updated_at = excluded.updated_at
  WHERE (p.mails, p.link_only) IS DISTINCT FROM (excluded.mails, excluded.link_only)`;
// The order of the bytes, as the other stores have it.
const list = `${select} WHERE ($1::text IS NULL OR p.mails = $1) AND p.recipient_key COLLATE "C" > $2
  ORDER BY p.recipient_key COLLATE "C" LIMIT $3`;

/** Preferences of recipients, on PostgreSQL (NOT-10). */
export function createPgPreferenceStore({ storeId, gate }: PgFacet): PreferenceStore<PgTx> {
  return {
    storeId,
    async find(recipientKeys) {
      checkRecipientKeys(recipientKeys);
      const sql = `${select} WHERE p.recipient_key = ANY ($1::text[])`;
      const rows = await gate.single(undefined, (session) => session.all<PreferenceRow>(sql, [...recipientKeys]));
      return rows.map(toPreference);
    },
    async set(recipientKey, preference, actor, options) {
      checkPreference(recipientKey, preference);
      checkActor('actor', actor);
      const { type, id } = nameActor(actor);
      const values = [recipientKey, preference.mails, preference.linkOnly, type, id];
      const written = await gate.single(options?.tx, (session) => session.run(write, ...values));
      return written === 1 ? 'set' : 'unchanged';
    },
    async list({ mails, after = '', limit }) {
      const values = [mails ?? null, after, pageLimit(limit)];
      const rows = await gate.single(undefined, (session) => session.all<PreferenceRow>(list, ...values));
      return rows.map(toPreference);
    },
  };
}
