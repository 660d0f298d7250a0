import { createQueueWorker, type JobKind } from '@criticizer/core/queue';
import { afterAll, describe, expect, inject, it, vi } from 'vitest';
import { z } from 'zod';
import { freshStores, openStores, testPool } from './stores-on-postgres.js';

const direct = testPool(inject('databaseUrl'));
afterAll(() => direct.end());

describe('a pool that the stages of its worker fill', () => {
  it('OPS-2: heartbeats have a client of their own: no lease is lost while stages hold all the others', async () => {
    const given = await freshStores(direct);
    const pool = testPool(inject('databaseUrl'), 4);
    const stores = openStores({ pool, schema: given.schema, listen: false });
    const renewed: number[] = [];
    let lost = 0;
    const jobs: typeof stores.jobs = {
      ...stores.jobs,
      async heartbeat(leases, leaseMs) {
        const outcomes = await stores.jobs.heartbeat(leases, leaseMs);
        renewed.push(outcomes.filter((outcome) => outcome === 'renewed').length);
        return outcomes;
      },
    };
    let holding = 0;
    const kind: JobKind<unknown> = {
      kind: 'report',
      payload: z.unknown(),
      stages: [
        {
          name: 'make',
          async run({ signal }) {
            const client = await pool.connect();
            holding++;
            try {
              // Six heartbeats are two leases: without one of them the lease is long over.
              const until = renewed.length + 6;
              while (renewed.length < until && !signal.aborted) await client.query('SELECT pg_sleep(0.05)');
              if (signal.aborted) lost++;
            } finally {
              holding--;
              client.release();
            }
            return { kind: 'done', result: {} };
          },
        },
      ],
    };
    const worker = createQueueWorker({
      stores: { ...stores, jobs },
      kinds: [kind],
      redactText: String,
      settings: { worker: { concurrency: 8, leaseMs: 2_500, pollMinMs: 10, pollMaxMs: 50 } },
    });
    const queue = openStores({ pool: direct, schema: given.schema }).jobs;
    await queue.enqueue(
      Array.from({ length: 8 }, (_, n) => ({
        kind: 'report',
        payload: n,
        stage: 'make',
        idempotencyKey: `report:${n}`,
      })),
    );
    await worker.start();
    // The pool has four: three are the stages', whose other five wait for one.
    await vi.waitFor(() => expect(holding).toBe(3), { timeout: 30_000 });
    await vi.waitFor(
      async () => expect((await queue.list({})).map(({ status }) => status)).toEqual(Array(8).fill('completed')),
      {
        timeout: 50_000,
        interval: 100,
      },
    );
    expect(lost).toBe(0);
    expect(await stores.deadLetters.list({})).toEqual([]);
    await worker.stop();
    await stores.close();
    await pool.end();
    await given.dispose();
  });
});
