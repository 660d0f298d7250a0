import type pg from 'pg';

/** Columns, constraints, indexes and triggers of a schema, in one order and without its name. */
export async function shapeOf(pool: pg.Pool, schema: string): Promise<string[]> {
  const { rows } = await pool.query<{ line: string }>(
    `SELECT format('%s.%s %s %s', table_name, column_name, data_type, is_nullable) AS line FROM information_schema.columns WHERE table_schema = $1
      UNION ALL SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class ON pg_class.oid = indrelid WHERE relnamespace = to_regnamespace($1)
      UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = to_regnamespace($1)
      UNION ALL SELECT pg_get_triggerdef(pg_trigger.oid) FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE relnamespace = to_regnamespace($1) AND NOT tgisinternal`,
    [schema],
  );
  // Quoted where the name is a word of SQL.
  return rows.map(({ line }) => line.replaceAll(`"${schema}".`, 's.').replaceAll(`${schema}.`, 's.')).sort();
}
