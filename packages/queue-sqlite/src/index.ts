// The public entry: the stores on SQLite.
export type { SqliteDatabase, SqliteStatement, SqliteTx, SqliteValue } from './sqlite-database.js';
export { classifySqliteFailure } from './sqlite-errors.js';
export { createSqliteStores, type SqliteStoresOptions } from './sqlite-stores.js';
