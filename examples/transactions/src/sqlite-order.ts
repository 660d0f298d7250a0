import type { Stores } from '@criticizer/core';
import type { SqliteTx } from '@criticizer/queue-sqlite';
import { shippingJob } from './shipping-job.js';

// #region stores
/** On the stores' own connection: calls of the same process wait for each other. */
export async function placeOrder(stores: Stores<SqliteTx>, order: string): Promise<void> {
  await stores.transaction(async (tx) => {
    tx.prepare('INSERT INTO orders (id) VALUES (?)').run(order);
    await stores.jobs.enqueue([shippingJob(order)], { tx });
  });
}
// #endregion

// #region handle
/**
 * On a handle of the host's own, open on the same file: better-sqlite3, node:sqlite or
 * @photostructure/sqlite. One order at a time.
 */
export async function placeOrderOn(db: SqliteTx, stores: Stores<SqliteTx>, order: string): Promise<void> {
  db.exec('BEGIN IMMEDIATE');
  try {
    db.prepare('INSERT INTO orders (id) VALUES (?)').run(order);
    await stores.jobs.enqueue([shippingJob(order)], { tx: db });
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}
// #endregion
