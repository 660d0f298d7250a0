/** What one statement gave. By shape, so that public types need no driver's. */
export interface PgResult {
  rows: unknown[];
  rowCount: number | null;
}

/**
 * Anything that runs one statement with `$n` parameters: a pool, a client, or an adapter over
 * another library's transaction.
 */
export interface PgQueryable {
  query(text: string, values?: unknown[]): Promise<PgResult>;
}

/** A handle on which the caller has begun a transaction. The stores neither commit nor roll it back. */
export type PgTx = PgQueryable;

/** A statement that the server keeps prepared under its name. */
export interface PgNamedStatement {
  name: string;
  text: string;
  values: unknown[];
}

/** A connection that can keep statements prepared. */
export interface PgPreparing extends PgQueryable {
  query(statement: PgNamedStatement): Promise<PgResult>;
  query(text: string, values?: unknown[]): Promise<PgResult>;
}

/** A checked-out client, such as `pg`'s. */
export interface PgClient extends PgPreparing {
  release(error?: Error | boolean): void;
  on(event: 'error' | 'end', listener: (error: Error) => void): unknown;
  on(event: 'notification', listener: (message: { payload?: string | undefined }) => void): unknown;
  removeListener(event: 'error' | 'end', listener: (error: Error) => void): unknown;
  removeListener(event: 'notification', listener: (message: { payload?: string | undefined }) => void): unknown;
}

/** A pool, such as `pg.Pool`. It stays the host's: the stores never end it. */
export interface PgPool extends PgPreparing {
  /**
   * Read, where it is there: the size says how many clients may be kept, and
   * `connectionTimeoutMillis` whether connecting is bounded already.
   */
  options?: { max?: number | undefined; connectionTimeoutMillis?: number | undefined } | undefined;
  connect(): Promise<PgClient>;
  listenerCount?(event: 'error'): number;
  on?(event: 'error', listener: (error: Error) => void): unknown;
}
