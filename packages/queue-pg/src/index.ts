// The public entry: the stores on PostgreSQL.
export type { PgClient, PgPool, PgQueryable, PgResult, PgTx } from './pg-database.js';
export { classifyPgFailure } from './pg-errors.js';
export { createPostgresStores, type PostgresStoresOptions } from './pg-stores.js';
