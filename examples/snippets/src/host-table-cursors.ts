// #region store
import type { Stores } from '@criticizer/core';
import type { CursorStore } from '@criticizer/core/ports';
import type { SqliteTx } from '@criticizer/queue-sqlite';

/** Watchers' cursors in a table of the host's own, beside the other stores and in their transactions. */
export function createHostTableCursors(stores: Stores<SqliteTx>): CursorStore<SqliteTx> {
  const position = (tx: SqliteTx, name: string): string | null => {
    const [row] = tx.prepare('SELECT position FROM host_cursors WHERE name = ?').all(name) as { position: string }[];
    return row?.position ?? null;
  };
  const move = (tx: SqliteTx, name: string, expected: string | null, next: string): 'advanced' | 'moved' => {
    const { changes } =
      expected === null
        ? tx.prepare('INSERT INTO host_cursors (name, position) VALUES (?, ?) ON CONFLICT DO NOTHING').run(name, next)
        : tx.prepare('UPDATE host_cursors SET position = ? WHERE name = ? AND position = ?').run(next, name, expected);
    return Number(changes) === 1 ? 'advanced' : 'moved'; // one statement compares and sets: no read before it to go stale
  };
  return {
    storeId: stores.storeId, // the same database, or wiring refuses it
    get: (name) => stores.transaction(async (tx) => position(tx, name)),
    advance: async (name, expected, next, { tx } = {}) =>
      tx === undefined
        ? stores.transaction(async (own) => move(own, name, expected, next))
        : move(tx, name, expected, next),
  };
}
// #endregion
