import { checkText } from '@criticizer/core/internal';
import type { CursorStore } from '@criticizer/core/ports';
import type { PgTx } from '../shared/pg-database.js';
import type { PgFacet } from '../shared/pg-facet.js';

/** Watcher cursors on PostgreSQL, moved by compare-and-set. */
export function createPgCursorStore({ storeId, gate }: PgFacet): CursorStore<PgTx> {
  return {
    storeId,
    async get(name) {
      const row = await gate.single(undefined, (session) =>
        session.first<{ value: string }>('SELECT value FROM {schema}.watch_cursors WHERE name = $1', name),
      );
      return row?.value ?? null;
    },
    async advance(name, expected, next, options) {
      checkText('name', name);
      const moved = await gate.single(options?.tx, (session) =>
        expected === null
          ? session.run(
              'INSERT INTO {schema}.watch_cursors (name, value, updated_at) VALUES ($1, $2, {now}) ON CONFLICT (name) DO NOTHING',
              name,
              next,
            )
          : session.run(
              'UPDATE {schema}.watch_cursors SET value = $2, updated_at = {now} WHERE name = $1 AND value = $3',
              name,
              next,
              expected,
            ),
      );
      return moved === 1 ? 'advanced' : 'moved';
    },
  };
}
