import { checkText, checkWhole } from '@criticizer/core/internal';
import type { LimitStore } from '@criticizer/core/ports';
import type { SqliteTx } from '../shared/sqlite-database.js';
import type { SqliteFacet } from '../shared/sqlite-facet.js';
import type { SqliteSession } from '../shared/sqlite-session.js';

function read(session: SqliteSession, name: string): number | null {
  return session.first<{ value: number }>('SELECT value FROM queue_limits WHERE name = ?', name)?.value ?? null;
}

/** Numbers that all processes share, on SQLite (WQ-10). */
export function createSqliteLimitStore({ storeId, gate }: SqliteFacet): LimitStore<SqliteTx> {
  return {
    storeId,
    get: (name) => gate.read(undefined, (session) => read(session, name)),
    async set(name, value, options) {
      checkText('name', name, 128);
      if (value !== null) checkWhole('value', value, 0);
      const expected = options?.expected;
      if (expected !== undefined && expected !== null) checkWhole('expected', expected, 0);
      return gate.write(options?.tx, (session) => {
        // The file has one writer at a time: nobody sets the limit between the two statements.
        if (expected !== undefined && read(session, name) !== expected) return 'conflict';
        if (value === null) session.run('DELETE FROM queue_limits WHERE name = ?', name);
        else {
          session.run(
            `INSERT INTO queue_limits (name, value, updated_at) VALUES (?, ?, ?)
              ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
            name,
            value,
            session.nowMs,
          );
        }
        return 'set';
      });
    },
    async agree(name, value) {
      checkText('name', name, 128);
      checkWhole('value', value, 0);
      return gate.write(undefined, (session) => {
        const recorded = session.run(
          'INSERT INTO queue_limits (name, value, updated_at) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING',
          name,
          value,
          session.nowMs,
        );
        if (recorded === 1) return { outcome: 'recorded' };
        const stored = read(session, name);
        return stored === null || stored === value ? { outcome: 'agreed' } : { outcome: 'disagrees', value: stored };
      });
    },
  };
}
