// The public entry: the stores on SQLite.
export type { SqliteDatabase, SqliteStatement, SqliteTx, SqliteValue } from './shared/sqlite-database.js';
export { classifySqliteFailure } from './shared/sqlite-errors.js';
export { createSqliteStores, type SqliteStoresOptions } from './sqlite-stores.js';
