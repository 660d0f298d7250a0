import { createHash } from 'node:crypto';
import type { PgPreparing, PgQueryable } from './pg-database.js';

/** Statements on one connection, or each on any. `{schema}` and `{now}` in a text are filled in. */
export interface PgSession {
  all<Row>(sql: string, ...values: unknown[]): Promise<Row[]>;
  first<Row>(sql: string, ...values: unknown[]): Promise<Row | undefined>;
  /** Gives the number of changed rows. */
  run(sql: string, ...values: unknown[]): Promise<number>;
}

/** A text as the server gets it, and the name under which a connection may keep it prepared. */
interface PgText {
  text: string;
  name: string;
}

/** How the stores' texts become SQL. */
export interface PgDialect {
  /** Already checked as an identifier. */
  schema: string;
  /** Fills in `{schema}` and `{now}`, the database's clock in whole milliseconds (INV-6). */
  fill(sql: string): PgText;
  /**
   * Tells how many pages the queue fills. A plan that a connection keeps is of the size its table
   * had: after a fourfold growth statements are prepared anew, under other names, or claims would
   * read the whole of a long queue until the next ANALYZE.
   */
  planFor(pages: number): void;
}

/**
 * The instant a statement began, by the database, cut to what a Date holds. Stable, so that an
 * index serves comparisons with it.
 */
const databaseNow = `date_trunc('milliseconds', statement_timestamp())`;

/** A checked name as SQL takes it, `user` and `order` included, which are words of its own. */
export function identifier(name: string): string {
  return `"${name}"`;
}

/** `nowMs` stands in for the database's clock, in tests. */
export function createDialect(schema: string, nowMs?: () => number): PgDialect {
  const filled = new Map<string, PgText>();
  let size = 0;
  const fillIn = (sql: string, now: string): PgText => {
    const text = sql.replaceAll('{schema}', identifier(schema)).replaceAll('{now}', now);
    return { text, name: `criticizer_${createHash('sha256').update(text).digest('hex').slice(0, 32)}_${size}` };
  };
  return {
    schema,
    fill(sql) {
      if (nowMs !== undefined) return fillIn(sql, `'${new Date(nowMs()).toISOString()}'::timestamptz`);
      let known = filled.get(sql);
      if (known === undefined) {
        known = fillIn(sql, databaseNow);
        filled.set(sql, known);
      }
      return known;
    },
    planFor(pages) {
      const found = Math.ceil(Math.log2(pages + 1) / 2);
      if (found === size) return;
      size = found;
      filled.clear();
    },
  };
}

function sessionOn(query: (sql: string, values: unknown[]) => ReturnType<PgQueryable['query']>): PgSession {
  return {
    all: async <Row>(sql: string, ...values: unknown[]) => (await query(sql, values)).rows as Row[],
    first: async <Row>(sql: string, ...values: unknown[]) => (await query(sql, values)).rows[0] as Row | undefined,
    run: async (sql, ...values) => (await query(sql, values)).rowCount ?? 0,
  };
}

export function createSession(queryable: PgQueryable, dialect: PgDialect): PgSession {
  return sessionOn((sql, values) => {
    const { text } = dialect.fill(sql);
    return values.length === 0 ? queryable.query(text) : queryable.query(text, values);
  });
}

/**
 * A session whose connections keep the stores' statements prepared: parsed and planned once a
 * connection, not once a call.
 */
export function createPreparedSession(connection: PgPreparing, dialect: PgDialect): PgSession {
  return sessionOn((sql, values) => connection.query({ ...dialect.fill(sql), values }));
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * An id for a uuid column: what is none becomes one that no row has, instead of an error that ends
 * the caller's transaction.
 */
export function asUuid(id: string): string {
  return uuid.test(id) ? id.toLowerCase() : '00000000-0000-0000-0000-000000000000';
}
