import { join } from 'node:path';
import { createQueueWorker, type JobKind, type Logger, silentLogger } from '@criticizer/core/queue';
import pg from 'pg';
import { afterAll, describe, expect, inject, it, vi } from 'vitest';
import { z } from 'zod';
import { type CuttingProxy, startCuttingProxy } from '../../../tools/soak/cutting-proxy.js';
import { freshStores, openStores, testPool } from './stores-on-postgres.js';

const direct = testPool(inject('databaseUrl'));
afterAll(() => direct.end());

const newJob = (n: number) => ({ kind: 'report', payload: n, stage: 'make', idempotencyKey: `report:${n}` });

/** A worker whose pool reaches the server through a proxy, and stores on the same schema that reach it directly. */
async function throughProxy(given: { max: number; concurrency: number; probeEveryMs?: number }) {
  const directly = await freshStores(direct);
  const socket = join(new URL(inject('databaseUrl')).searchParams.get('host') ?? '', '.s.PGSQL.5432');
  const proxy: CuttingProxy = await startCuttingProxy(socket);
  const pool = new pg.Pool({
    connectionString: `postgresql://postgres@127.0.0.1:${proxy.port}/postgres`,
    max: given.max,
  });
  pool.on('error', () => undefined);
  const lines: { code?: unknown; message: string }[] = [];
  const line = (fields: object, message: string): void => void lines.push({ ...fields, message });
  const logger: Logger = { ...silentLogger, info: line, warn: line, error: line };
  const stores = openStores(
    { pool, schema: directly.schema, deadlineMs: 1_000, logger },
    { probeEveryMs: given.probeEveryMs ?? 30_000 },
  );
  let ended = 0;
  let started = 0;
  let release: () => void = () => undefined;
  let open = Promise.resolve();
  const kind: JobKind<unknown> = {
    kind: 'report',
    payload: z.unknown(),
    stages: [
      {
        name: 'make',
        async run() {
          started++;
          await open;
          return { kind: 'done', result: {} };
        },
      },
    ],
  };
  const worker = createQueueWorker({
    stores,
    kinds: [kind],
    redactText: String,
    settings: { worker: { concurrency: given.concurrency, leaseMs: 4_000, pollMinMs: 10, pollMaxMs: 50 } },
    logger,
    onEvent: (event) => void (event.type === 'stage.ended' && event.outcome === 'done' && ended++),
  });
  return {
    proxy,
    pool,
    stores,
    lines,
    worker,
    enqueue: (count: number) =>
      openStores({ pool: direct, schema: directly.schema }).jobs.enqueue(
        Array.from({ length: count }, (_, n) => newJob(n)),
      ),
    started: () => started,
    ended: () => ended,
    /** Stages begun from now on stay in their run until the function given is called. */
    holdStages() {
      open = new Promise((resolve) => {
        release = resolve;
      });
      return () => release();
    },
    /** Every job of the queue, directly. */
    jobs: () => openStores({ pool: direct, schema: directly.schema }).jobs.list({ limit: 1_000 }),
    async end() {
      await worker.stop({ graceMs: 0 });
      await stores.close();
      await pool.end();
      await proxy.close();
      await directly.dispose();
    },
  };
}

const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 30_000, interval: 20 });

// Behind a pooler the connections that break are the pooler's own.
describe.skipIf(process.env['CRITICIZER_TEST_POOLER'])('connections on which no byte passes any more', () => {
  it('OPS-2: a worker whose every connection is half open runs what comes after, on others, and logs it', async () => {
    const t = await throughProxy({ max: 4, concurrency: 2 });
    await t.worker.start();
    await until(() => expect(t.proxy.open()).toBe(3)); // one for heartbeats, one that listens, one for claims
    expect(t.proxy.swallow()).toBe(3);
    await t.enqueue(2);
    await until(() => expect(t.ended()).toBe(2));
    expect(t.proxy.swallowed()).toBeGreaterThan(0);
    expect(t.lines.filter(({ code }) => code === 'PG_TIMEOUT').length).toBeGreaterThan(0);
    expect((await t.jobs()).map(({ status, attempts, lostLeases }) => [status, attempts, lostLeases])).toEqual(
      Array.from({ length: 2 }, () => ['completed', { make: 1 }, 0]),
    );
    await t.end();
  });

  it('OPS-2: with two of six connections half open all that ran is settled, once, and no lease is lost', async () => {
    const t = await throughProxy({ max: 6, concurrency: 40 });
    const go = t.holdStages();
    await t.enqueue(40);
    await t.worker.start();
    await until(() => expect(t.started()).toBe(40));
    // Six connections, of which two that are idle turn half open.
    const clients = await Promise.all(Array.from({ length: 4 }, () => t.pool.connect()));
    for (const client of clients) client.release();
    expect(t.proxy.open()).toBe(6);
    expect(t.proxy.swallow(2)).toBe(2);
    go();
    await until(() => expect(t.ended()).toBe(40));
    expect(t.proxy.swallowed()).toBeGreaterThan(0);
    const jobs = await t.jobs();
    expect(jobs.filter(({ status, lostLeases }) => status === 'completed' && lostLeases === 0)).toHaveLength(40);
    expect(jobs.filter(({ attempts }) => attempts['make'] === 1)).toHaveLength(40);
    await t.end();
  });

  it('OPS-2: connections that are made and never answer do not fill the pool for good', async () => {
    const t = await throughProxy({ max: 3, concurrency: 2 });
    await t.worker.start();
    await until(() => expect(t.proxy.open()).toBeGreaterThan(1));
    t.proxy.swallow();
    t.proxy.swallowNew(true);
    await t.enqueue(2);
    // As many as the pool holds, and then more: each of them was given up.
    await until(() => expect(t.proxy.swallowed()).toBeGreaterThan(6));
    expect(t.ended()).toBe(0);
    t.proxy.swallowNew(false);
    await until(() => expect(t.ended()).toBe(2));
    await t.end();
  });

  it('OPS-2: a session that listens on a half-open connection is replaced by one that hears', async () => {
    const t = await throughProxy({ max: 3, concurrency: 1, probeEveryMs: 50 });
    let wakes = 0;
    const unsubscribe = await t.stores.jobs.subscribe?.(() => wakes++);
    await until(() => expect(wakes).toBeGreaterThan(0)); // it listens
    t.proxy.swallow();
    await until(() => expect(t.lines.map(({ message }) => message)).toContain('LISTEN stands again'));
    const before = wakes;
    await t.enqueue(1);
    await until(() => expect(wakes).toBeGreaterThan(before));
    await unsubscribe?.();
    await t.end();
  });
});
