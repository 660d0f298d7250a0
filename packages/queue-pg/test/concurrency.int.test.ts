import { randomUUID } from 'node:crypto';
import type { Lease } from '@criticizer/core/ports';
import { afterAll, describe, expect, inject, it, vi } from 'vitest';
import { freshStores, openStores, testPool } from './stores-on-postgres.js';

const pool = testPool(inject('databaseUrl'), 20);
afterAll(() => pool.end());

const newJob = (n: number, over = {}) => ({
  kind: 'review',
  payload: n,
  stage: 'fetch',
  idempotencyKey: `k-${n}`,
  ...over,
});
const request = (over = {}) => ({
  kinds: ['review'],
  owner: 'o',
  token: randomUUID(),
  leaseMs: 30_000,
  limit: 1,
  ...over,
});

describe('many connections at once', () => {
  it('WQ-2: twenty claimers on their own connections take every job exactly once', async () => {
    const given = await freshStores(pool);
    const jobs = await given.stores.jobs.enqueue(Array.from({ length: 400 }, (_, n) => newJob(n)));
    const taken: string[] = [];
    const outcomes: string[] = [];
    const claimer = async (n: number): Promise<void> => {
      for (;;) {
        const claimed = await given.stores.jobs.claim(request({ owner: `o-${n}`, limit: 5 }));
        if (claimed.length === 0) return;
        taken.push(...claimed.map(({ job }) => job.id));
        const done = claimed.map(({ lease }) => ({ lease, kind: 'done', result: {}, requireNotified: false }) as const);
        outcomes.push(...(await given.stores.jobs.settle(done)));
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, n) => claimer(n)));
    expect(taken.sort()).toEqual(jobs.map(({ job }) => job.id).sort());
    expect(new Set(outcomes)).toEqual(new Set(['settled']));
    await given.dispose();
  });

  it('WQ-2: two claims that have both chosen before either writes have chosen different jobs', async () => {
    const given = await freshStores(pool);
    const { stores, schema } = given;
    // Each claim stops where it begins to write what it has chosen: nothing else sets this column.
    // Whoever holds the gate lets them go on.
    await pool.query(`CREATE TABLE ${schema}.gate ();
      CREATE FUNCTION ${schema}.through_gate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM FROM ${schema}.gate; RETURN NULL; END $$;
      CREATE TRIGGER through_gate BEFORE UPDATE OF started_at ON ${schema}.work_queue EXECUTE FUNCTION ${schema}.through_gate()`);
    const jobs = await stores.jobs.enqueue([newJob(1), newJob(2)]);
    const holder = await pool.connect();
    await holder.query(`BEGIN; LOCK TABLE ${schema}.gate`);
    const claims = Promise.all([1, 2].map(() => stores.jobs.claim(request())));
    const stopped = `SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND relation = '${schema}.gate'::regclass`;
    try {
      await vi.waitFor(async () => expect((await holder.query(stopped)).rows).toEqual([{ n: 2 }]), {
        timeout: 10_000,
        interval: 5,
      });
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    const taken = (await claims).flat().map(({ job }) => job.id);
    expect(taken.sort()).toEqual(jobs.map(({ job }) => job.id).sort());
    await pool.query(`DROP FUNCTION ${schema}.through_gate() CASCADE; DROP TABLE ${schema}.gate`);
    await given.dispose();
  });

  it('WQ-10: a trigger that sees every change never sees more than W running', async () => {
    const given = await freshStores(pool);
    const { stores, schema } = given;
    await stores.limits.set('running', 4);
    await pool.query(`CREATE FUNCTION ${schema}.over_w() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF (SELECT count(*) FROM ${schema}.work_queue WHERE status = 'running') > 4 THEN RAISE EXCEPTION 'over W'; END IF; RETURN NULL; END $$`);
    await pool.query(
      `CREATE TRIGGER over_w AFTER UPDATE ON ${schema}.work_queue FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.over_w()`,
    );
    await stores.jobs.enqueue(Array.from({ length: 120 }, (_, n) => newJob(n)));
    let most = 0;
    let completed = 0;
    const claimer = async (): Promise<void> => {
      while (completed < 120) {
        const claimed = await stores.jobs.claim(request({ limit: 3 }));
        if (claimed.length === 0) continue;
        most = Math.max(most, (await stores.jobs.stats()).running);
        await stores.jobs.settle(
          claimed.map(({ lease }) => ({ lease, kind: 'done', result: {}, requireNotified: false }) as const),
        );
        completed += claimed.length;
      }
    };
    await Promise.all(Array.from({ length: 8 }, claimer));
    expect((await stores.jobs.stats()).completed).toBe(120);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(4);
    await pool.query(`DROP FUNCTION ${schema}.over_w() CASCADE`);
    await given.dispose();
  });

  it('NOT-1: batches with common keys in opposite orders neither deadlock nor double', async () => {
    const given = await freshStores(pool);
    const jobs = Array.from({ length: 50 }, (_, n) => newJob(n, { changelistId: `s/${n}`, reviewVersion: 1 }));
    const batches = Array.from({ length: 16 }, (_, n) => (n % 2 === 0 ? jobs : [...jobs].reverse()));
    const outcomes = (await Promise.all(batches.map((batch) => given.stores.jobs.enqueue(batch))))
      .flat()
      .map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'enqueued')).toHaveLength(50);
    expect(outcomes.filter((outcome) => outcome === 'duplicate')).toHaveLength(750);
    await given.dispose();
  });

  // A transaction pooler shares fewer connections among them.
  it.skipIf(process.env['CRITICIZER_TEST_POOLER']).each([
    ['jobs', {}],
    ['versions of a change', { changelistId: 's/1', reviewVersion: 1 }],
  ])('NOT-1: fifty submits of one key, each under way on its own connection, give one job: %s', async (_what, over) => {
    const given = await freshStores(pool);
    const wide = testPool(inject('databaseUrl'), 50);
    const stores = openStores({ pool: wide, schema: given.schema });
    const clients = await Promise.all(Array.from({ length: 50 }, () => wide.connect()));
    const pids = await Promise.all(
      clients.map(async (client) => (await client.query('SELECT pg_backend_pid() AS pid')).rows[0]?.pid),
    );
    for (const client of clients) client.release();
    const holder = await pool.connect();
    await holder.query(`BEGIN; LOCK TABLE ${given.schema}.work_queue IN SHARE MODE`);
    const submits = Promise.all(clients.map(() => stores.jobs.enqueue([newJob(1, over)])));
    const waiting = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE pid = ANY ($1) AND wait_event_type = 'Lock'`;
    try {
      await vi.waitFor(async () => expect((await pool.query(waiting, [pids])).rows).toEqual([{ n: 50 }]), {
        timeout: 10_000,
        interval: 5,
      });
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    const results = (await submits).flat();
    const [job] = await stores.jobs.list({});
    expect(results.filter(({ outcome }) => outcome === 'enqueued')).toEqual([{ outcome: 'enqueued', job }]);
    expect(results.filter(({ outcome }) => outcome === 'duplicate')).toEqual(
      Array(49).fill({ outcome: 'duplicate', job }),
    );
    expect(await stores.jobs.list({})).toHaveLength(1);
    await stores.close();
    await wide.end(); // the server has a hundred for all files that run at once
    await given.dispose();
  });

  it('INV-3: heartbeats, settlements and sweeps of the same rows leave one truth', async () => {
    const given = await freshStores(pool);
    const { stores } = given;
    await stores.jobs.enqueue(Array.from({ length: 30 }, (_, n) => newJob(n)));
    const leases: Lease[] = (await stores.jobs.claim(request({ limit: 30 }))).map(({ lease }) => lease);
    given.clock.advance(30_000);
    const [beats, settled] = await Promise.all([
      stores.jobs.heartbeat([...leases].reverse(), 30_000),
      stores.jobs.settle(leases.map((lease) => ({ lease, kind: 'release' }) as const)),
      stores.jobs.requeueExpired(),
      stores.jobs.requeueExpired(),
    ]);
    const jobs = await stores.jobs.get(leases.map(({ jobId }) => jobId));
    for (const [n, job] of jobs.entries()) {
      expect(job?.status).toBe('queued');
      expect(job?.lostLeases).toBe(settled[n] === 'lease-lost' ? 1 : 0);
    }
    expect(beats).toHaveLength(30);
    await given.dispose();
  });

  it('WQ-6: a connection cut inside a transaction is an outage of the category network, and the pool goes on', async () => {
    const given = await freshStores(pool);
    const cut = given.stores.transaction(async (tx) => {
      const { rows } = await tx.query('SELECT pg_backend_pid() AS pid');
      await pool.query('SELECT pg_terminate_backend($1)', [(rows[0] as { pid: number }).pid]);
      await tx.query('SELECT 1');
    });
    await expect(cut).rejects.toMatchObject({ code: 'PG_CONNECTION', category: 'network' });
    expect(await given.stores.jobs.stats()).toMatchObject({ due: 0 });
    await given.dispose();
  });

  it('INV-3: a settlement that throws in the caller’s transaction leaves nothing of itself there, and the transaction usable', async () => {
    const given = await freshStores(pool);
    const { stores } = given;
    await stores.jobs.enqueue([newJob(1), newJob(2)]);
    const [first, second] = await stores.jobs.claim(request({ limit: 2 }));
    if (first === undefined || second === undefined) throw new Error('nothing claimed');
    await stores.transaction(async (tx) => {
      const settlements = [
        { lease: first.lease, kind: 'done', result: {}, requireNotified: false, effects: { outputs: { a: 'x' } } },
        { lease: second.lease, kind: 'checkpoint', leaseMs: 1000, effects: { publish: ['unknown'] } },
      ] as const;
      await expect(stores.jobs.settle(settlements, { tx })).rejects.toMatchObject({ code: 'ARTIFACT_NOT_PENDING' });
      await stores.jobs.enqueue([newJob(3)], { tx });
    });
    expect(await stores.jobs.get([first.job.id, second.job.id])).toEqual([first.job, second.job]);
    expect((await stores.jobs.stats()).due).toBe(1);
    await given.dispose();
  });

  it('WQ-1: a pool of one client is enough for calls inside the caller’s transaction', async () => {
    const given = await freshStores(pool);
    const narrow = testPool(inject('databaseUrl'), 1);
    const stores = openStores({ pool: narrow, schema: given.schema });
    const client = await narrow.connect();
    await client.query('BEGIN');
    const [result] = await stores.jobs.enqueue([newJob(1)], { tx: client });
    await client.query('COMMIT');
    client.release();
    expect(await stores.jobs.get([result?.job.id ?? ''])).toEqual([result?.job]);
    await narrow.end();
    await given.dispose();
  });
});
