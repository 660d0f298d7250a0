import { checkDocumentWrite, type Instant, toDate } from '@criticizer/core/internal';
import type { DocumentStore, JsonValue } from '@criticizer/core/ports';
import { epochMs } from '../shared/instants.js';
import type { PgTx } from '../shared/pg-database.js';
import type { PgFacet } from '../shared/pg-facet.js';

interface DocumentRow {
  version: number;
  value: string;
  updated_at: Instant;
}

const find = `SELECT version, value::text AS value, ${epochMs('updated_at')} AS updated_at
  FROM {schema}.versioned_documents WHERE name = $1`;
// Of two first writes one inserts and the other finds its row: no unique violation spoils a transaction.
const insert = `INSERT INTO {schema}.versioned_documents (name, version, value, updated_at) VALUES ($1, 1, $2::json, {now})
  ON CONFLICT (name) DO NOTHING`;
const update = `UPDATE {schema}.versioned_documents SET version = version + 1, value = $2::json, updated_at = {now}
  WHERE name = $1 AND version = $3`;

/** Versioned documents on PostgreSQL (PR-4, EGR-4). */
export function createPgDocumentStore({ storeId, gate }: PgFacet): DocumentStore<PgTx> {
  return {
    storeId,
    async read(name) {
      const row = await gate.single(undefined, (session) => session.first<DocumentRow>(find, name));
      if (row === undefined) return { name, version: 0, value: null, updatedAt: null };
      const value = JSON.parse(row.value) as JsonValue;
      return { name, version: row.version, value, updatedAt: toDate(row.updated_at) };
    },
    async write(name, expectedVersion, value, options) {
      checkDocumentWrite(name, expectedVersion, value);
      const text = JSON.stringify(value);
      return gate.together(options?.tx, async (session) => {
        const written =
          expectedVersion === 0
            ? await session.run(insert, name, text)
            : await session.run(update, name, text, expectedVersion);
        if (written === 1) return { outcome: 'written', version: expectedVersion + 1 };
        const row = await session.first<DocumentRow>(find, name);
        return { outcome: 'conflict', version: row?.version ?? 0 };
      });
    },
  };
}
