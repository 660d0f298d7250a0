import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteStores, type SqliteDatabase } from '@criticizer/queue-sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { placeOrder, placeOrderOn } from '../src/sqlite-order.js';

type Driver = { DatabaseSync: new (file: string) => SqliteDatabase };
const { DatabaseSync }: Driver =
  process.getBuiltinModule('node:sqlite') ?? createRequire(import.meta.url)('@photostructure/sqlite');

const folder = mkdtempSync(join(tmpdir(), 'criticizer-orders-'));
const file = join(folder, 'shop.sqlite');
const stores = createSqliteStores({ file, migrate: 'auto' });
const [db, elsewhere] = [new DatabaseSync(file), new DatabaseSync(file)];

beforeAll(async () => {
  await stores.now();
  // The host's own rule, checked at the end of its transaction: what fails there comes after the job was stored.
  await stores.transaction(async (tx) => {
    tx.exec('CREATE TABLE customers (id TEXT PRIMARY KEY)');
    tx.exec(`CREATE TABLE orders (id TEXT PRIMARY KEY,
      customer TEXT GENERATED ALWAYS AS (substr(id, 1, 3)) STORED REFERENCES customers (id) DEFERRABLE INITIALLY DEFERRED)`);
    tx.exec(`INSERT INTO customers VALUES ('ada')`);
  });
  db.exec('PRAGMA foreign_keys = ON');
});
afterAll(async () => {
  await stores.close();
  for (const handle of [db, elsewhere]) handle.close?.();
  rmSync(folder, { recursive: true });
});

function seen(order: string): { orders: number; jobs: number } {
  const count = (sql: string, id: string): number => elsewhere.prepare(sql).all(id).length;
  return {
    orders: count('SELECT 1 FROM orders WHERE id = ?', order),
    jobs: count('SELECT 1 FROM work_queue WHERE idempotency_key = ?', `ship-order:${order}`),
  };
}

describe.each([
  ['of the stores', (order: string) => placeOrder(stores, order)],
  ['on a handle of the host’s', (order: string) => placeOrderOn(db, stores, order)],
])('a job in a transaction %s', (where, place) => {
  const id = (customer: string): string => `${customer}-${where.split(' ')[0]}`;

  it('is there with the host’s row', async () => {
    await place(id('ada'));
    expect(seen(id('ada'))).toEqual({ orders: 1, jobs: 1 });
  });

  it('goes with the host’s row, even when the commit itself is what fails', async () => {
    await expect(place(id('eve'))).rejects.toThrow();
    expect(seen(id('eve'))).toEqual({ orders: 0, jobs: 0 });
  });
});

it('a host’s error after the job was stored undoes the job', async () => {
  const work = stores.transaction(async (tx) => {
    await stores.jobs.enqueue(
      [{ kind: 'ship-order', stage: 'ship', payload: {}, idempotencyKey: 'ship-order:later' }],
      { tx },
    );
    throw new Error('changed my mind');
  });
  await expect(work).rejects.toThrow('changed my mind');
  expect(seen('later')).toEqual({ orders: 0, jobs: 0 });
});
