import pg from 'pg';
import { afterAll, describe, expect, inject, it, vi } from 'vitest';
import { freshStores, openStores, testPool } from './stores-on-postgres.js';

const pools = [testPool(inject('databaseUrl')), testPool(inject('databaseUrl'))] as const;
afterAll(() => Promise.all(pools.map((pool) => pool.end())));

const newJob = (key: string) => ({ kind: 'review', payload: {}, stage: 'fetch', idempotencyKey: key });

/** A process that enqueues and one that listens. */
async function twoProcesses() {
  const [pool, other] = pools;
  const given = await freshStores(pool);
  const listener = openStores({ pool: other, schema: given.schema, listen: other });
  const producer = openStores({ pool, schema: given.schema, listen: pool });
  let wakes = 0;
  const unsubscribe = await listener.jobs.subscribe?.(() => wakes++);
  wakes = 0; // a session that begins to listen wakes for what it missed
  const query = vi.spyOn(pg.Client.prototype, 'query');
  return {
    producer,
    wakes: () => wakes,
    /** Notifications that were statements of their own. */
    ownStatements: () =>
      query.mock.calls.filter((call: unknown[]) => String(call[0]).startsWith('SELECT pg_notify')).length,
    async end() {
      query.mockRestore();
      await unsubscribe?.();
      await Promise.all([producer.close(), listener.close()]);
      await given.dispose();
    },
  };
}

// A transaction pooler drops LISTEN.
describe.skipIf(process.env['CRITICIZER_TEST_POOLER'])('wake-ups of another process', () => {
  it('WQ-11: an enqueue after a quiet while carries its notification, those that come together share another', async () => {
    const { producer, wakes, ownStatements, end } = await twoProcesses();
    await producer.jobs.enqueue([newJob('first')]);
    await vi.waitFor(() => expect(wakes()).toBe(1));
    expect(ownStatements()).toBe(0);
    await Promise.all(['second', 'third', 'fourth'].map((key) => producer.jobs.enqueue([newJob(key)])));
    await vi.waitFor(() => expect(wakes()).toBeGreaterThan(1));
    expect(ownStatements()).toBeGreaterThan(0);
    await end();
  });
});
