import type { PgQueryable } from './pg-database.js';

/** Statements on one connection, or each on any. `{schema}` and `{now}` in a text are filled in. */
export interface PgSession {
  all<Row>(sql: string, ...values: unknown[]): Promise<Row[]>;
  first<Row>(sql: string, ...values: unknown[]): Promise<Row | undefined>;
  /** Gives the number of changed rows. */
  run(sql: string, ...values: unknown[]): Promise<number>;
}

/** How the stores' texts become SQL. */
export interface PgDialect {
  /** Already checked as an identifier. */
  schema: string;
  /** The database's clock in whole milliseconds, as an expression that is one instant within a statement (INV-6). */
  now(): string;
}

/** The instant a statement began, by the database, cut to what a Date holds. Stable, so that an index serves comparisons with it. */
export const databaseNow = `date_trunc('milliseconds', statement_timestamp())`;

export function createSession(queryable: PgQueryable, dialect: PgDialect): PgSession {
  const run = (sql: string, values: unknown[]) => {
    const text = sql.replaceAll('{schema}', dialect.schema).replaceAll('{now}', dialect.now());
    return values.length === 0 ? queryable.query(text) : queryable.query(text, values);
  };
  return {
    all: async <Row>(sql: string, ...values: unknown[]) => (await run(sql, values)).rows as Row[],
    first: async <Row>(sql: string, ...values: unknown[]) => (await run(sql, values)).rows[0] as Row | undefined,
    run: async (sql, ...values) => (await run(sql, values)).rowCount ?? 0,
  };
}

/** A timestamp column as milliseconds, whether the driver's parsers make a Date of it or leave the text. */
export function toMs(value: Date | string): number {
  return value instanceof Date ? value.getTime() : Date.parse(value);
}

export function toMsOrNull(value: Date | string | null): number | null {
  return value === null ? null : toMs(value);
}

export function toDate(value: Date | string): Date {
  return new Date(toMs(value));
}

export function toDateOrNull(value: Date | string | null): Date | null {
  return value === null ? null : toDate(value);
}

/** JSON selected as text: no driver's parser is between, and a JSON string stays distinct from text. */
export function parsed<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T);
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** An id for a uuid column: what is none becomes one that no row has, instead of an error that ends the caller's transaction. */
export function asUuid(id: string): string {
  return uuid.test(id) ? id.toLowerCase() : '00000000-0000-0000-0000-000000000000';
}
