import { checkText, checkWhole } from '@criticizer/core/internal';
import type { LimitStore } from '@criticizer/core/ports';
import type { PgTx } from '../shared/pg-database.js';
import type { PgFacet } from '../shared/pg-facet.js';
import type { PgSession } from '../shared/pg-session.js';

async function read(session: PgSession, name: string): Promise<number | null> {
  const row = await session.first<{ value: number }>('SELECT value FROM {schema}.queue_limits WHERE name = $1', name);
  return row?.value ?? null;
}

async function put(session: PgSession, name: string, value: number | null): Promise<'set'> {
  if (value === null) await session.run('DELETE FROM {schema}.queue_limits WHERE name = $1', name);
  else
    await session.run(
      `INSERT INTO {schema}.queue_limits (name, value, updated_at) VALUES ($1, $2, {now})
        ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
      name,
      value,
    );
  return 'set';
}

/** Sets the limit where it is `expected`. One statement: others write at the same time. */
async function replace(
  session: PgSession,
  name: string,
  expected: number | null,
  value: number | null,
): Promise<'set' | 'conflict'> {
  if (expected === null && value === null) return (await read(session, name)) === null ? 'set' : 'conflict';
  const changed =
    value === null
      ? await session.run('DELETE FROM {schema}.queue_limits WHERE name = $1 AND value = $2', name, expected)
      : expected === null
        ? await session.run(
            'INSERT INTO {schema}.queue_limits (name, value, updated_at) VALUES ($1, $2, {now}) ON CONFLICT (name) DO NOTHING',
            name,
            value,
          )
        : await session.run(
            'UPDATE {schema}.queue_limits SET value = $3, updated_at = {now} WHERE name = $1 AND value = $2',
            name,
            expected,
            value,
          );
  return changed === 1 ? 'set' : 'conflict';
}

/** Numbers that all processes share, on PostgreSQL (WQ-10). */
export function createPgLimitStore({ storeId, gate }: PgFacet): LimitStore<PgTx> {
  return {
    storeId,
    get: (name) => gate.single(undefined, (session) => read(session, name)),
    async set(name, value, options) {
      checkText('name', name, 128);
      if (value !== null) checkWhole('value', value, 0);
      const expected = options?.expected;
      if (expected !== undefined && expected !== null) checkWhole('expected', expected, 0);
      return gate.single(options?.tx, (session) =>
        expected === undefined ? put(session, name, value) : replace(session, name, expected, value),
      );
    },
    async agree(name, value) {
      checkText('name', name, 128);
      checkWhole('value', value, 0);
      return gate.together(undefined, async (session) => {
        const recorded = await session.run(
          'INSERT INTO {schema}.queue_limits (name, value, updated_at) VALUES ($1, $2, {now}) ON CONFLICT (name) DO NOTHING',
          name,
          value,
        );
        if (recorded === 1) return { outcome: 'recorded' };
        const stored = await read(session, name);
        return stored === null || stored === value ? { outcome: 'agreed' } : { outcome: 'disagrees', value: stored };
      });
    },
  };
}
