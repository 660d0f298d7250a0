import { randomUUID } from 'node:crypto';
import type { Stores } from '@criticizer/core';
import type { ClaimedJob } from '@criticizer/core/ports';
import { createPostgresStores, type PgTx } from '@criticizer/queue-pg';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { placeOrder } from '../src/pg-order.js';
import { shippingJob } from '../src/shipping-job.js';
import { type Library, libraries } from './libraries.js';

const schema = `shop_${randomUUID().replaceAll('-', '')}`;
const host = `${schema}_host`;
const databaseUrl = inject('databaseUrl');
const hostUrl = `${databaseUrl}${databaseUrl.includes('?') ? '&' : '?'}options=${encodeURIComponent(`-c search_path=${host}`)}`;
const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
pool.on('error', () => undefined);
let stores: Stores<PgTx>;

beforeAll(async () => {
  stores = createPostgresStores({ pool, schema });
  await stores.migrate();
  await pool.query(`CREATE SCHEMA ${host}; CREATE TABLE ${host}.orders (id text PRIMARY KEY)`);
});
afterAll(async () => {
  await stores.close();
  await pool.query(`DROP SCHEMA ${host} CASCADE; DROP SCHEMA ${schema} CASCADE`);
  await pool.end();
});

class ChangedMyMind extends Error {}

/** What everybody else sees of an order: its row, and the state of its job. */
async function seen(order: string): Promise<{ order: boolean; job: string | null }> {
  const orders = await pool.query(`SELECT 1 FROM ${host}.orders WHERE id = $1`, [order]);
  const jobs = await pool.query(`SELECT status FROM ${schema}.work_queue WHERE idempotency_key = $1`, [
    `ship-order:${order}`,
  ]);
  return { order: orders.rowCount === 1, job: jobs.rows[0]?.status ?? null };
}

async function claimed(order: string): Promise<ClaimedJob> {
  await stores.jobs.enqueue([{ ...shippingJob(order), kind: order }]);
  const [job] = await stores.jobs.claim({
    kinds: [order],
    owner: 'test',
    token: randomUUID(),
    leaseMs: 60_000,
    limit: 1,
  });
  if (job === undefined) throw new Error('the job was not claimed');
  return job;
}

describe.each(Object.entries(libraries))('a job in a transaction of %s', (name, open) => {
  let library: Library;
  const id = (what: string): string => `${name}-${what}`.toLowerCase();
  beforeAll(async () => {
    library = await open(hostUrl);
  });
  afterAll(() => library.close());

  it('is there with the host’s row once it commits, and for nobody before', async () => {
    const order = id('commit');
    await library.transaction(async ({ tx, insertOrder }) => {
      await insertOrder(order);
      const [result] = await stores.jobs.enqueue([shippingJob(order)], { tx });
      expect(result).toMatchObject({ outcome: 'enqueued', job: { status: 'queued', payload: { order } } });
      expect(result?.job.createdAt.getTime()).toBeGreaterThan(Date.UTC(2020, 0));
      expect(await seen(order)).toEqual({ order: false, job: null });
    });
    expect(await seen(order)).toEqual({ order: true, job: 'queued' });
  });

  it('goes with the host’s row when it rolls back', async () => {
    const order = id('rollback');
    const work = library.transaction(async ({ tx, insertOrder }) => {
      await insertOrder(order);
      await stores.jobs.enqueue([shippingJob(order)], { tx });
      throw new ChangedMyMind();
    });
    await expect(work).rejects.toThrow(ChangedMyMind);
    expect(await seen(order)).toEqual({ order: false, job: null });
  });

  it('goes when a later statement of the host’s fails', async () => {
    const order = id('late-failure');
    const work = library.transaction(async ({ tx, insertOrder }) => {
      await insertOrder(order);
      await stores.jobs.enqueue([shippingJob(order)], { tx });
      await insertOrder(order);
    });
    await expect(work).rejects.toThrow();
    expect(await seen(order)).toEqual({ order: false, job: null });
  });

  it('is settled with the host’s row, or neither is', async () => {
    const order = id('settle');
    const { lease, job } = await claimed(order);
    const shipped = (fail: boolean): Promise<void> =>
      library.transaction(async ({ tx, insertOrder }) => {
        await insertOrder(order);
        const done = { lease, kind: 'done', result: { shipped: true }, requireNotified: false } as const;
        expect(await stores.jobs.settle([done], { tx })).toEqual(['settled']);
        if (fail) throw new ChangedMyMind();
      });
    await expect(shipped(true)).rejects.toThrow(ChangedMyMind);
    expect(await seen(order)).toEqual({ order: false, job: 'running' });
    await shipped(false);
    expect(await seen(order)).toEqual({ order: true, job: 'completed' });
    expect(await stores.jobs.get([job.id])).toMatchObject([{ result: { shipped: true } }]);
  });

  it('leaves the transaction usable when a call of the stores is refused: nothing of that call remains', async () => {
    const order = id('refused');
    const { lease } = await claimed(order);
    await library.transaction(async ({ tx, insertOrder }) => {
      const unknown = {
        lease,
        kind: 'done',
        result: {},
        requireNotified: false,
        effects: { publish: [randomUUID()] },
      } as const;
      await expect(stores.jobs.settle([unknown], { tx })).rejects.toMatchObject({ code: 'ARTIFACT_NOT_PENDING' });
      await insertOrder(order);
    });
    expect(await seen(order)).toEqual({ order: true, job: 'running' });
  });

  it('tells a failure by its SQLSTATE, and shows nothing of the statement', async () => {
    const order = id('locked');
    const other = await pool.connect();
    try {
      await other.query('BEGIN');
      await stores.jobs.enqueue([shippingJob(order)], { tx: other });
      const work = library.transaction(async ({ tx }) => {
        await tx.query(`SET LOCAL lock_timeout = '20ms'`);
        return stores.jobs.enqueue([shippingJob(order)], { tx });
      });
      const error = await work.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ code: 'PG_LOCK_TIMEOUT', details: { sqlState: '55P03' } });
      expect(String(error)).not.toContain(order);
    } finally {
      await other.query('ROLLBACK');
      other.release();
    }
  });

  it('passes text and values as they are: jsonb’s question marks, numbers out of order and used twice', async () => {
    const text = `SELECT $2::jsonb ? $1::text AS has, $2::jsonb ? 'b' AS has_b, $2::jsonb ?| ARRAY['b', $1] AS has_any, '$1 \\?' AS kept`;
    const { rows, rowCount } = await library.transaction(({ tx }) => tx.query(text, ['a', '{"a": 1}']));
    expect({ rows, rowCount }).toEqual({
      rows: [{ has: true, has_b: false, has_any: true, kept: '$1 \\?' }],
      rowCount: 1,
    });
  });

  it('is placed as the how-to page shows', async () => {
    const order = id('page');
    await library.placeOrder(stores, order);
    await expect(library.placeOrder(stores, order)).rejects.toThrow(); // the host's row is there already
    expect(await seen(order)).toEqual({ order: true, job: 'queued' });
  });
});

it('stores.transaction of a pool that finds the host’s tables does the same', async () => {
  const shop = new pg.Pool({ connectionString: hostUrl, max: 2 });
  shop.on('error', () => undefined);
  const own = createPostgresStores({ pool: shop, schema });
  await placeOrder(own, 'stores-transaction');
  await expect(placeOrder(own, 'stores-transaction')).rejects.toThrow();
  expect(await seen('stores-transaction')).toEqual({ order: true, job: 'queued' });
  await own.close();
  await shop.end();
});

describe('a handle that is in no transaction', () => {
  it.each(['Knex', 'TypeORM'])('is refused once the transaction of %s has ended', async (name) => {
    const library = await libraries[name]?.(hostUrl);
    const tx = await library?.transaction(async (transaction) => transaction.tx);
    await expect(tx?.query('SELECT 1')).rejects.toThrow(/ended|in no transaction|released/);
    await library?.close();
  });
});
