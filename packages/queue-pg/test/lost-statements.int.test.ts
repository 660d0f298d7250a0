import { randomUUID } from 'node:crypto';
import { afterAll, expect, inject, it } from 'vitest';
import { freshStores, openStores, testPool } from './stores-on-postgres.js';

const pool = testPool(inject('databaseUrl'));
afterAll(() => pool.end());

// Behind a transaction pooler nothing stays prepared.
it.skipIf(process.env['CRITICIZER_TEST_POOLER'])(
  'OPS-2: a session that lost its prepared statements costs a call another connection, never its job',
  async () => {
    const given = await freshStores(pool);
    const narrow = testPool(inject('databaseUrl'), 1);
    const stores = openStores({ pool: narrow, schema: given.schema });
    const forget = () => narrow.query('DEALLOCATE ALL');
    const enqueue = (key: string) =>
      stores.jobs.enqueue([{ kind: 'review', payload: {}, stage: 'fetch', idempotencyKey: key }]);
    const claim = () =>
      stores.jobs.claim({ kinds: ['review'], owner: 'o', token: randomUUID(), leaseMs: 30_000, limit: 1 });
    const settle = (lease: Awaited<ReturnType<typeof claim>>[0]['lease'] | undefined) =>
      stores.jobs.settle(lease === undefined ? [] : [{ lease, kind: 'done', result: {}, requireNotified: false }]);
    await enqueue('first');
    const [first] = await claim();
    expect(await settle(first?.lease)).toEqual(['settled']); // everything is prepared by now
    await enqueue('second');
    await forget();
    const [second] = await claim();
    expect(second?.job).toMatchObject({ idempotencyKey: 'second', attempts: { fetch: 1 } });
    await claim(); // prepared again, on the connection that came after
    await settle(first?.lease);
    await forget();
    expect(await settle(second?.lease)).toEqual(['settled']);
    await stores.close();
    await narrow.end();
    await given.dispose();
  },
);
