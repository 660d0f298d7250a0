// #region adapter
import type { PgTx } from '@criticizer/queue-pg';
import type { Knex } from 'knex';

/**
 * Straight to the transaction's own connection: `raw` takes every `?` for a placeholder, those of
 * jsonb included, and no `$1` at all.
 */
export function knexTx(trx: Knex.Transaction): PgTx {
  const client: { acquireConnection(): Promise<PgTx> } = trx.client;
  return {
    async query(text, values) {
      if (trx.isCompleted()) throw new Error('knexTx: this transaction has ended');
      return (await client.acquireConnection()).query(text, values);
    },
  };
}

// #endregion

// #region use
import type { Stores } from '@criticizer/core';
import { shippingJob } from './shipping-job.js';

export async function placeOrder(knex: Knex, stores: Stores<PgTx>, order: string): Promise<void> {
  await knex.transaction(async (trx) => {
    await trx('orders').insert({ id: order });
    await stores.jobs.enqueue([shippingJob(order)], { tx: knexTx(trx) });
  });
}
// #endregion
