import { checkMessage, checkMessagePruning, wholeMs } from '@criticizer/core/internal';
import type { MessageStore } from '@criticizer/core/ports';
import { span } from '../shared/instants.js';
import type { PgTx } from '../shared/pg-database.js';
import type { PgFacet } from '../shared/pg-facet.js';
import { asUuid } from '../shared/pg-session.js';
import { rowIdSql } from '../shared/row-id.js';

// As Base64 over the wire: drivers differ in how they take and give a bytea.
const insert = `INSERT INTO {schema}.notify_messages (id, changelist_id, body, created_at)
  VALUES (${rowIdSql('$1::text')}, $2, decode($3, 'base64'), {now}) RETURNING id::text AS id`;
const find = `SELECT encode(body, 'base64') AS body FROM {schema}.notify_messages WHERE id = $1`;
const remove = 'DELETE FROM {schema}.notify_messages WHERE id = $1';
const prune = `DELETE FROM {schema}.notify_messages WHERE id = ANY (ARRAY(
  SELECT m.id FROM {schema}.notify_messages AS m
    WHERE m.created_at <= {now} - ${span('$1::float8')} AND NOT EXISTS (
      SELECT 1 FROM {schema}.notify_outbox AS o WHERE o.changelist_id = m.changelist_id
        AND o.message_artifact_id = m.id::text AND o.status NOT IN ('sent', 'cancelled'))
    ORDER BY m.created_at LIMIT $2 FOR UPDATE OF m SKIP LOCKED))`;

/** Messages of a host's mails, on PostgreSQL. */
export function createPgMessageStore({ storeId, gate, idTail }: PgFacet): MessageStore<PgTx> {
  return {
    storeId,
    async save(bytes, about, options) {
      checkMessage(bytes, about);
      const body = Buffer.from(bytes).toString('base64');
      const row = await gate.single(options?.tx, (session) =>
        session.first<{ id: string }>(insert, idTail(), about.changelistId, body),
      );
      return row?.id ?? '';
    },
    async load(id) {
      const row = await gate.single(undefined, (session) => session.first<{ body: string }>(find, asUuid(id)));
      return row === undefined ? null : Buffer.from(row.body, 'base64');
    },
    async discard(id, options) {
      await gate.single(options?.tx, (session) => session.run(remove, asUuid(id)));
    },
    async prune(pruning) {
      checkMessagePruning(pruning);
      const { olderThanMs, limit } = pruning;
      return gate.single(undefined, (session) => session.run(prune, wholeMs(olderThanMs), limit));
    },
  };
}
