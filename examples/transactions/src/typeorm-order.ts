// #region adapter
import type { PgTx } from '@criticizer/queue-pg';
import { type EntityManager, QueryFailedError } from 'typeorm';

/** `manager` is the one that `transaction` gives, or that of a query runner which has begun one. */
export function typeOrmTx({ queryRunner }: EntityManager): PgTx {
  return {
    async query(text, values) {
      if (!queryRunner?.isTransactionActive) throw new Error('typeOrmTx: this manager is in no transaction');
      try {
        const { records, affected } = await queryRunner.query(text, values, true);
        return { rows: records, rowCount: affected ?? null };
      } catch (error) {
        // The driver's own has the SQLSTATE, and none of the parameters.
        throw error instanceof QueryFailedError ? error.driverError : error;
      }
    },
  };
}

// #endregion

// #region use
import type { Stores } from '@criticizer/core';
import { type DataSource, EntitySchema } from 'typeorm';
import { shippingJob } from './shipping-job.js';

export const orderSchema = new EntitySchema<{ id: string }>({
  name: 'order',
  tableName: 'orders',
  columns: { id: { type: 'text', primary: true } },
});

export async function placeOrder(dataSource: DataSource, stores: Stores<PgTx>, order: string): Promise<void> {
  await dataSource.transaction(async (manager) => {
    await manager.insert(orderSchema, { id: order });
    await stores.jobs.enqueue([shippingJob(order)], { tx: typeOrmTx(manager) });
  });
}
// #endregion
