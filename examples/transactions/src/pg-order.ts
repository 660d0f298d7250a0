import type { Stores } from '@criticizer/core';
import type { PgTx } from '@criticizer/queue-pg';
import type { Pool } from 'pg';
import { shippingJob } from './shipping-job.js';

// #region stores
/** On a client of the pool that the stores were given. */
export async function placeOrder(stores: Stores<PgTx>, order: string): Promise<void> {
  await stores.transaction(async (tx) => {
    await tx.query('INSERT INTO orders (id) VALUES ($1)', [order]);
    await stores.jobs.enqueue([shippingJob(order)], { tx });
  });
}
// #endregion

// #region client
/** On a client of the host's own: it is a `tx` as it is. */
export async function placeOrderOn(pool: Pool, stores: Stores<PgTx>, order: string): Promise<void> {
  const client = await pool.connect();
  // The query under way rejects too; without a listener a lost connection ends the process.
  const onError = (): void => undefined;
  client.on('error', onError);
  try {
    await client.query('BEGIN');
    await client.query('INSERT INTO orders (id) VALUES ($1)', [order]);
    await stores.jobs.enqueue([shippingJob(order)], { tx: client });
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.removeListener('error', onError);
    client.release();
  }
}
// #endregion
