// The public entry: the stores on PostgreSQL.

export { createGrantScript, type GrantScriptOptions } from './grant-script.js';
export { createPostgresStores, type PostgresStoresOptions } from './pg-stores.js';
export type { PgClient, PgPool, PgQueryable, PgResult, PgTx } from './shared/pg-database.js';
export { classifyPgFailure } from './shared/pg-errors.js';
