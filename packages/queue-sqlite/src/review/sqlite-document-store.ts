import { checkDocumentWrite } from '@criticizer/core/internal';
import type { DocumentStore, JsonValue } from '@criticizer/core/ports';
import type { SqliteTx } from '../shared/sqlite-database.js';
import type { SqliteFacet } from '../shared/sqlite-facet.js';
import type { SqliteSession } from '../shared/sqlite-session.js';

interface DocumentRow {
  version: number;
  value: string;
  updated_at: number;
}

function findDocument(session: SqliteSession, name: string): DocumentRow | undefined {
  return session.first<DocumentRow>('SELECT version, value, updated_at FROM versioned_documents WHERE name = ?', name);
}

const upsert = `INSERT INTO versioned_documents (name, version, value, updated_at) VALUES (?, ?, ?, ?)
  ON CONFLICT (name) DO UPDATE SET version = excluded.version, value = excluded.value, updated_at = excluded.updated_at`;

/** Versioned documents on SQLite (PR-4, EGR-4). */
export function createSqliteDocumentStore({ storeId, gate }: SqliteFacet): DocumentStore<SqliteTx> {
  return {
    storeId,
    read: (name) =>
      gate.read(undefined, (session) => {
        const row = findDocument(session, name);
        if (row === undefined) return { name, version: 0, value: null, updatedAt: null };
        const value = JSON.parse(row.value) as JsonValue;
        return { name, version: row.version, value, updatedAt: new Date(row.updated_at) };
      }),
    async write(name, expectedVersion, value, options) {
      checkDocumentWrite(name, expectedVersion, value);
      return gate.write(options?.tx, (session) => {
        const version = findDocument(session, name)?.version ?? 0;
        if (version !== expectedVersion) return { outcome: 'conflict', version };
        session.run(upsert, name, version + 1, JSON.stringify(value), session.nowMs);
        return { outcome: 'written', version: version + 1 };
      });
    },
  };
}
