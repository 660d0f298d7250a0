import { checkText } from '@criticizer/core/internal';
import type { CursorStore } from '@criticizer/core/ports';
import type { SqliteTx } from '../shared/sqlite-database.js';
import type { SqliteFacet } from '../shared/sqlite-facet.js';

/** Watcher cursors on SQLite, moved by compare-and-set. */
export function createSqliteCursorStore({ storeId, gate }: SqliteFacet): CursorStore<SqliteTx> {
  return {
    storeId,
    get: (name) =>
      gate.read(
        undefined,
        (session) =>
          session.first<{ value: string }>('SELECT value FROM watch_cursors WHERE name = ?', name)?.value ?? null,
      ),
    async advance(name, expected, next, options) {
      checkText('name', name);
      return gate.write(options?.tx, (session) => {
        const moved =
          expected === null
            ? session.run(
                'INSERT INTO watch_cursors (name, value, updated_at) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING',
                name,
                next,
                session.nowMs,
              )
            : session.run(
                'UPDATE watch_cursors SET value = ?, updated_at = ? WHERE name = ? AND value = ?',
                next,
                session.nowMs,
                name,
                expected,
              );
        return moved === 1 ? 'advanced' : 'moved';
      });
    },
  };
}
