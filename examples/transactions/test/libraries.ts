// The same host four times: one table `orders`, and transactions as each library gives them.
import type { Stores } from '@criticizer/core';
import type { PgTx } from '@criticizer/queue-pg';
import { drizzle } from 'drizzle-orm/node-postgres';
import createKnex from 'knex';
import pg from 'pg';
import { DataSource } from 'typeorm';
import * as drizzleOrder from '../src/drizzle-order.js';
import * as knexOrder from '../src/knex-order.js';
import * as pgOrder from '../src/pg-order.js';
import * as typeOrmOrder from '../src/typeorm-order.js';

export interface HostTransaction {
  /** What the stores are given. */
  tx: PgTx;
  /** The host's own statement, by the library's own means. */
  insertOrder(id: string): Promise<unknown>;
}

export interface Library {
  /** Commits when `work` resolves, rolls back when it rejects. */
  transaction<T>(work: (transaction: HostTransaction) => Promise<T>): Promise<T>;
  /** As the how-to page shows it. */
  placeOrder(stores: Stores<PgTx>, order: string): Promise<void>;
  close(): Promise<unknown>;
}

/** Each finds `orders` by the search path that is part of the URL. */
export const libraries: Readonly<Record<string, (url: string) => Promise<Library>>> = {
  pg: openPg,
  Drizzle: openDrizzle,
  Knex: openKnex,
  TypeORM: openTypeOrm,
};

async function openPg(connectionString: string): Promise<Library> {
  const pool = new pg.Pool({ connectionString, max: 2 });
  return {
    async transaction(work) {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        const value = await work({
          tx: client,
          insertOrder: (id) => client.query('INSERT INTO orders (id) VALUES ($1)', [id]),
        });
        await client.query('COMMIT');
        return value;
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      } finally {
        client.release();
      }
    },
    placeOrder: (stores, order) => pgOrder.placeOrderOn(pool, stores, order),
    close: () => pool.end(),
  };
}

async function openDrizzle(connectionString: string): Promise<Library> {
  const pool = new pg.Pool({ connectionString, max: 2 });
  const db = drizzle(pool);
  return {
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          tx: drizzleOrder.drizzleTx(tx),
          insertOrder: async (id) => tx.insert(drizzleOrder.orders).values({ id }),
        }),
      ),
    placeOrder: (stores, order) => drizzleOrder.placeOrder(db, stores, order),
    close: () => pool.end(),
  };
}

async function openKnex(connection: string): Promise<Library> {
  const knex = createKnex({ client: 'pg', connection, pool: { min: 0, max: 2 } });
  return {
    transaction: (work) =>
      knex.transaction((trx) =>
        work({ tx: knexOrder.knexTx(trx), insertOrder: async (id) => trx('orders').insert({ id }) }),
      ),
    placeOrder: (stores, order) => knexOrder.placeOrder(knex, stores, order),
    close: () => knex.destroy(),
  };
}

async function openTypeOrm(url: string): Promise<Library> {
  const dataSource = new DataSource({ type: 'postgres', url, entities: [typeOrmOrder.orderSchema], poolSize: 2 });
  await dataSource.initialize();
  return {
    transaction: (work) =>
      dataSource.transaction((manager) =>
        work({
          tx: typeOrmOrder.typeOrmTx(manager),
          insertOrder: (id) => manager.insert(typeOrmOrder.orderSchema, { id }),
        }),
      ),
    placeOrder: (stores, order) => typeOrmOrder.placeOrder(dataSource, stores, order),
    close: () => dataSource.destroy(),
  };
}
