import type pg from 'pg';
import type { PgClient, PgNamedStatement, PgPool, PgResult } from '../src/shared/pg-database.js';

/**
 * What becomes of one statement: `run` sends it and waits for its answer, `cut` breaks its
 * connection and throws what the driver then says.
 */
export type Loss = (run: () => Promise<PgResult>, cut: () => Promise<PgResult>) => Promise<PgResult>;

export const answerLost: Loss = async (run, cut) => {
  await run();
  return cut();
};

export const neverSent: Loss = (_run, cut) => cut();

async function cut(client: pg.PoolClient): Promise<PgResult> {
  const ended = new Promise((resolve) => client.once('end', resolve));
  (client as pg.PoolClient & Pick<pg.Client, 'connection'>).connection.stream.destroy();
  await ended;
  return client.query('SELECT 1');
}

/** A pool whose connections break where a test says so. */
export function createLosingPool(pool: pg.Pool) {
  let next: { statement: RegExp; loss: Loss } | undefined;

  const queryOn =
    (client: pg.PoolClient) =>
    (statement: string | PgNamedStatement, values?: unknown[]): Promise<PgResult> => {
      const run = (): Promise<PgResult> =>
        typeof statement === 'string' ? client.query(statement, values) : client.query(statement);
      const text = typeof statement === 'string' ? statement : statement.text;
      if (next === undefined || !next.statement.test(text)) return run();
      const { loss } = next;
      next = undefined;
      return loss(run, () => cut(client));
    };

  const losing: PgPool = {
    options: pool.options,
    async query(statement: string | PgNamedStatement, values?: unknown[]) {
      const client = await pool.connect();
      let broken: Error | undefined;
      const onError = (error: Error): void => {
        broken = error;
      };
      client.on('error', onError);
      try {
        return await queryOn(client)(statement, values);
      } finally {
        client.removeListener('error', onError);
        client.release(broken);
      }
    },
    async connect() {
      const client = await pool.connect();
      const connected: Omit<PgClient, 'query'> = client;
      return {
        query: queryOn(client),
        release: (error) => connected.release(error),
        on: (event: 'error' | 'end', listener: (error: Error) => void) => connected.on(event, listener),
        removeListener: (event: 'error' | 'end', listener: (error: Error) => void) =>
          connected.removeListener(event, listener),
      } as PgClient;
    },
  };

  return {
    pool: losing,
    /** The next statement that matches suffers `loss`, once; a call that sends none is an error of the test. */
    async during<T>(statement: RegExp, loss: Loss, call: () => Promise<T>): Promise<T> {
      next = { statement, loss };
      const value = await call();
      if (next !== undefined) throw new Error(`no statement matched ${statement}`);
      return value;
    },
  };
}
