import type pg from 'pg';

/**
 * Columns with their defaults, constraints, indexes, triggers and functions of a schema, in one
 * order and without its name.
 */
export async function shapeOf(pool: pg.Pool, schema: string): Promise<string[]> {
  const { rows } = await pool.query<{ line: string }>(
    `SELECT format('%s.%s %s %s %s', relname, attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid)) AS line
        FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE relnamespace = to_regnamespace($1) AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
      UNION ALL SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class ON pg_class.oid = indrelid WHERE relnamespace = to_regnamespace($1)
      UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = to_regnamespace($1)
      UNION ALL SELECT pg_get_triggerdef(pg_trigger.oid) FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE relnamespace = to_regnamespace($1) AND NOT tgisinternal
      UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = to_regnamespace($1)`,
    [schema],
  );
  // Quoted where the name is a word of SQL.
  return rows.map(({ line }) => line.replaceAll(`"${schema}".`, 's.').replaceAll(`${schema}.`, 's.')).sort();
}
