import { checkMessage, checkMessagePruning, wholeMs } from '@criticizer/core/internal';
import type { MessageStore } from '@criticizer/core/ports';
import type { SqliteTx } from '../shared/sqlite-database.js';
import type { SqliteFacet } from '../shared/sqlite-facet.js';

const insert = 'INSERT INTO notify_messages (id, changelist_id, body, created_at) VALUES (?, ?, ?, ?)';
const prune = `DELETE FROM notify_messages WHERE id IN (
  SELECT m.id FROM notify_messages AS m WHERE m.created_at <= ? AND NOT EXISTS (
      SELECT 1 FROM notify_outbox AS o WHERE o.changelist_id = m.changelist_id
        AND o.message_artifact_id = m.id AND o.status NOT IN ('sent', 'cancelled'))
    ORDER BY m.created_at LIMIT ? + 0)`;

/** Messages of a host's mails, on SQLite. Bytes are Base64: drivers differ in how they give a BLOB. */
export function createSqliteMessageStore({ storeId, gate, rowId }: SqliteFacet): MessageStore<SqliteTx> {
  return {
    storeId,
    async save(bytes, about, options) {
      checkMessage(bytes, about);
      const body = Buffer.from(bytes).toString('base64');
      return gate.write(options?.tx, (session) => {
        const id = rowId(session.nowMs);
        session.run(insert, id, about.changelistId, body, session.nowMs);
        return id;
      });
    },
    load: (id) =>
      gate.read(undefined, (session) => {
        const row = session.first<{ body: string }>('SELECT body FROM notify_messages WHERE id = ?', id);
        return row === undefined ? null : Buffer.from(row.body, 'base64');
      }),
    discard: (id, options) =>
      gate.write(options?.tx, (session) => void session.run('DELETE FROM notify_messages WHERE id = ?', id)),
    async prune(pruning) {
      checkMessagePruning(pruning);
      const { olderThanMs, limit } = pruning;
      return gate.write(undefined, (session) => session.run(prune, session.nowMs - wholeMs(olderThanMs), limit));
    },
  };
}
