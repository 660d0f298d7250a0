// #region adapter
import type { PgTx } from '@criticizer/queue-pg';
import { DrizzleQueryError, type TablesRelationalConfig } from 'drizzle-orm';
import type { NodePgQueryResultHKT } from 'drizzle-orm/node-postgres';
import type { PgTransaction } from 'drizzle-orm/pg-core';
import type { QueryResult } from 'pg';

type Prepared = { execute: QueryResult; all: unknown; values: unknown };

/**
 * For use inside the callback that got `tx`. The text goes to the driver as it is: Drizzle's `sql`
 * would number its parameters anew.
 */
export function drizzleTx<Full extends Record<string, unknown>, Tables extends TablesRelationalConfig>(
  tx: PgTransaction<NodePgQueryResultHKT, Full, Tables>,
): PgTx {
  return {
    async query(sql, params = []) {
      try {
        return await tx._.session.prepareQuery<Prepared>({ sql, params }, undefined, undefined, false).execute();
      } catch (error) {
        // The driver's own has the SQLSTATE, and none of the parameters.
        throw error instanceof DrizzleQueryError ? error.cause : error;
      }
    },
  };
}

// #endregion

// #region use
import type { Stores } from '@criticizer/core';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';
import { shippingJob } from './shipping-job.js';

export const orders = pgTable('orders', { id: text().primaryKey() });

export async function placeOrder(db: NodePgDatabase, stores: Stores<PgTx>, order: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.insert(orders).values({ id: order });
    await stores.jobs.enqueue([shippingJob(order)], { tx: drizzleTx(tx) });
  });
}
// #endregion
