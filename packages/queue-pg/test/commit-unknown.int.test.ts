import { randomUUID } from 'node:crypto';
import type { Job } from '@criticizer/core';
import type { Settlement } from '@criticizer/core/ports';
import { afterAll, describe, expect, inject, it, vi } from 'vitest';
import { answerLost, createLosingPool, type Loss, neverSent } from './losing-pool.js';
import { freshStores, openStores, testPool } from './stores-on-postgres.js';

const pool = testPool(inject('databaseUrl'));
afterAll(() => pool.end());

const newJob = (key: string, over = {}) => ({
  kind: 'review',
  payload: { key },
  stage: 'fetch',
  idempotencyKey: key,
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
/** Of a transaction; its BEGIN names the isolation READ COMMITTED. */
const commit = /^COMMIT$/;
const failure = { code: 'NETWORK_TIMEOUT', category: 'network', message: 'no answer' } as const;
const deadLetter = {
  errorClass: 'X',
  category: 'bug',
  lastStack: '',
  sanitizedContext: {},
  escalation: 'none',
} as const;

/** Stores whose connections break where the test says so. */
async function storesOnLosingPool() {
  const given = await freshStores(pool);
  const line = createLosingPool(pool);
  const stores = openStores({ pool: line.pool, schema: given.schema });
  return {
    stores,
    schema: given.schema,
    during: line.during,
    /** Enqueues the keys and claims them all. */
    async claimed(...keys: string[]) {
      await stores.jobs.enqueue(keys.map((key) => newJob(key)));
      return stores.jobs.claim(request({ limit: keys.length }));
    },
    async jobOf(id: string | undefined): Promise<Job | null | undefined> {
      return (await stores.jobs.get([id ?? '']))[0];
    },
    async end() {
      await stores.close();
      await given.dispose();
    },
  };
}

type Ending = Settlement extends infer S ? (S extends Settlement ? Omit<S, 'lease'> : never) : never;

interface Case {
  settlement: Ending;
  /** The statement that commits it. */
  statement: RegExp;
  after: Partial<Job>;
}

const cases: readonly (readonly [what: string, one: Case])[] = [
  [
    'an end',
    {
      settlement: { kind: 'done', result: { ok: true }, requireNotified: false },
      statement: /complete_jobs/,
      after: { status: 'completed', result: { ok: true }, attempts: { fetch: 1 } },
    },
  ],
  [
    'an end with effects',
    {
      settlement: { kind: 'done', result: {}, requireNotified: false, effects: { outputs: { a: 'x' } } },
      statement: commit,
      after: { status: 'completed', outputs: { a: 'x' } },
    },
  ],
  [
    'an advance',
    {
      settlement: { kind: 'advance', stage: 'check', leaseMs: 30_000 },
      statement: commit,
      after: { status: 'running', stage: 'check', attempts: { fetch: 1, check: 1 } },
    },
  ],
  [
    'a retry',
    {
      settlement: { kind: 'retry', delayMs: 0, failure },
      statement: commit,
      after: { status: 'queued', attempts: { fetch: 1 }, lastFailure: failure },
    },
  ],
  [
    'a dead letter',
    {
      settlement: { kind: 'dead-letter', deadLetter },
      statement: commit,
      after: { status: 'failed', attempts: { fetch: 1 } },
    },
  ],
];

/**
 * Settles a claimed job under `loss`: enqueued and claimed it was twice changed, so `transitionNo`
 * 3 is one change by the settlement.
 */
async function settleUnder(loss: Loss, { settlement, statement, after }: Case): Promise<void> {
  const { stores, during, claimed, jobOf, end } = await storesOnLosingPool();
  const [taken] = await claimed('a');
  if (taken === undefined) throw new Error('nothing claimed');
  const settled = during(statement, loss, () => stores.jobs.settle([{ ...settlement, lease: taken.lease }]));
  await expect(settled).resolves.toEqual(['settled']);
  expect(await jobOf(taken.job.id)).toMatchObject({ ...after, transitionNo: 3 });
  expect(await stores.deadLetters.list({})).toHaveLength(settlement.kind === 'dead-letter' ? 1 : 0);
  await end();
}

describe('a connection lost after the server committed', () => {
  it.each(cases)('INV-3: %s is read back as settled, and was written once', (_what, one) =>
    settleUnder(answerLost, one),
  );

  it('INV-3: of a batch only what was owned is read back as settled', async () => {
    const { stores, during, claimed, jobOf, end } = await storesOnLosingPool();
    const [own, lost] = await claimed('a', 'b');
    if (own === undefined || lost === undefined) throw new Error('nothing claimed');
    const leases = [own.lease, { ...lost.lease, token: 'stale' }];
    const ends = leases.map((lease) => ({ lease, kind: 'done', result: {}, requireNotified: false }) as const);
    expect(await during(/complete_jobs/, answerLost, () => stores.jobs.settle(ends))).toEqual([
      'settled',
      'lease-lost',
    ]);
    expect(await jobOf(lost.job.id)).toEqual(lost.job);
    await end();
  });

  it('WQ-7: an end that deleted its row has nothing to read back: it answers lease-lost, and the job is over', async () => {
    const { stores, during, claimed, jobOf, end } = await storesOnLosingPool();
    const [taken] = await claimed('a');
    if (taken === undefined) throw new Error('nothing claimed');
    const done = { lease: taken.lease, kind: 'done', result: {}, requireNotified: false, deleteRow: true } as const;
    expect(await during(/delete_jobs/, answerLost, () => stores.jobs.settle([done]))).toEqual(['lease-lost']);
    expect(await jobOf(taken.job.id)).toBeNull();
    await end();
  });

  it.each([
    ['an advance', { kind: 'advance', stage: 'check', leaseMs: 30_000, id: randomUUID() }],
    ['a checkpoint', { kind: 'checkpoint', leaseMs: 30_000, id: randomUUID() }],
  ] as const)(
    'INV-3: %s in the host’s transaction, settled again, adds the host’s own rows once',
    async (_what, ending) => {
      const { stores, schema, during, claimed, jobOf, end } = await storesOnLosingPool();
      await pool.query(`CREATE TABLE ${schema}.host_rows (id text)`);
      const [taken] = await claimed('a');
      if (taken === undefined) throw new Error('nothing claimed');
      const settle = () =>
        stores.transaction(async (tx) => {
          const [outcome] = await stores.jobs.settle([{ ...ending, lease: taken.lease }], { tx });
          if (outcome === 'settled') await tx.query(`INSERT INTO ${schema}.host_rows VALUES ('mine')`, []);
          return outcome;
        });
      await expect(during(commit, answerLost, settle)).rejects.toMatchObject({ category: 'network' });
      const once = await jobOf(taken.job.id);
      expect(await settle()).toBe('settled-before');
      expect(await jobOf(taken.job.id)).toEqual(once);
      expect((await pool.query(`SELECT * FROM ${schema}.host_rows`)).rows).toHaveLength(1);
      await pool.query(`DROP TABLE ${schema}.host_rows`);
      await end();
    },
  );

  it('INV-3: a settlement that the server is still writing is waited for, then read back', async () => {
    const { stores, schema, during, claimed, jobOf, end } = await storesOnLosingPool();
    const [taken] = await claimed('a');
    if (taken === undefined) throw new Error('nothing claimed');
    const done = { lease: taken.lease, kind: 'done', result: {}, requireNotified: false } as const;
    const settle = (loss: Loss) => during(/complete_jobs/, loss, () => stores.jobs.settle([done]));
    expect(await lostWhileWriting(schema, 'last_settlement', settle)).toEqual(['settled']);
    expect(await jobOf(taken.job.id)).toMatchObject({ status: 'completed', transitionNo: 3 });
    await end();
  });

  it('WQ-4: a claim that the server is still writing is waited for, then read back: it takes nothing twice', async () => {
    const { stores, schema, during, end } = await storesOnLosingPool();
    await stores.jobs.enqueue(['a', 'b', 'c'].map((key) => newJob(key)));
    const claim = (loss: Loss) => during(/claim_jobs/, loss, () => stores.jobs.claim(request({ limit: 1 })));
    expect(await lostWhileWriting(schema, 'started_at', claim)).toHaveLength(1);
    expect(await stores.jobs.stats()).toMatchObject({ due: 2, running: 1 });
    await end();
  });

  it('WQ-4: a claim gives the jobs it had taken, under its token, their attempts counted once', () =>
    claimUnder(answerLost));

  it.each([
    ['one statement', /INSERT INTO/, {}],
    ['a transaction', commit, { changelistId: 's/1', reviewVersion: 1 }],
  ])(
    'NOT-1: an enqueue in %s is an outage to its caller, whose repeat finds the one row',
    async (_what, statement, over) => {
      const { stores, during, end } = await storesOnLosingPool();
      const enqueue = () => stores.jobs.enqueue([newJob('a', over)]);
      await expect(during(statement, answerLost, enqueue)).rejects.toMatchObject({
        code: 'PG_CONNECTION',
        category: 'network',
      });
      const [job, ...more] = await stores.jobs.list({});
      expect(job).toMatchObject({ idempotencyKey: 'a', transitionNo: 1 });
      expect(more).toEqual([]);
      expect(await enqueue()).toEqual([{ outcome: 'duplicate', job }]);
      expect(await stores.jobs.list({})).toEqual([job]);
      await end();
    },
  );
});

describe('a connection lost before the server had the statement', () => {
  it.each(cases)('WQ-7: %s is written by the second run, once', (_what, one) => settleUnder(neverSent, one));

  it('WQ-4: a claim takes its jobs in the second run, once', () => claimUnder(neverSent));

  it('NOT-1: an enqueue is an outage to its caller, whose repeat stores the one row', async () => {
    const { stores, during, end } = await storesOnLosingPool();
    const enqueue = () => stores.jobs.enqueue([newJob('a')]);
    await expect(during(/INSERT INTO/, neverSent, enqueue)).rejects.toMatchObject({
      code: 'PG_CONNECTION',
      category: 'network',
    });
    expect(await stores.jobs.list({})).toEqual([]);
    const [result] = await enqueue();
    expect(result?.outcome).toBe('enqueued');
    expect(await stores.jobs.list({})).toEqual([result?.job]);
    await end();
  });
});

/** Claims two of three jobs under `loss`. */
async function claimUnder(loss: Loss): Promise<void> {
  const { stores, during, end } = await storesOnLosingPool();
  const [first, urgent] = await stores.jobs.enqueue([newJob('a'), newJob('b', { priority: 9 }), newJob('c')]);
  const claimed = await during(/claim_jobs/, loss, () => stores.jobs.claim(request({ token: 'own', limit: 2 })));
  const ids = [urgent?.job.id ?? '', first?.job.id ?? ''];
  expect(claimed.map(({ lease }) => lease)).toEqual(ids.map((jobId) => ({ jobId, owner: 'o', token: 'own' })));
  expect(claimed.map(({ job }) => job)).toEqual(await stores.jobs.get(ids));
  for (const { job } of claimed)
    expect(job).toMatchObject({ status: 'running', attempts: { fetch: 1 }, lostLeases: 0, transitionNo: 2 });
  expect(await stores.jobs.stats()).toMatchObject({ due: 1, running: 2 });
  await end();
}

/**
 * Breaks the connection of `call` where the server writes the column, and lets it write on once the
 * second run waits for it.
 */
async function lostWhileWriting<T>(schema: string, column: string, call: (loss: Loss) => Promise<T>): Promise<T> {
  await pool.query(`CREATE TABLE ${schema}.gate ();
    CREATE FUNCTION ${schema}.through_gate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM FROM ${schema}.gate; RETURN NULL; END $$;
    CREATE TRIGGER through_gate AFTER UPDATE OF ${column} ON ${schema}.work_queue EXECUTE FUNCTION ${schema}.through_gate()`);
  const holder = await pool.connect();
  await holder.query(`BEGIN; LOCK TABLE ${schema}.gate`);
  const atGate = `SELECT pid FROM pg_locks WHERE NOT granted AND relation = '${schema}.gate'::regclass`;
  const behind = `SELECT 1 FROM pg_stat_activity AS a WHERE EXISTS (${atGate} AND pid = ANY (pg_blocking_pids(a.pid)))`;
  const seen = (sql: string) =>
    vi.waitFor(async () => expect((await pool.query(sql)).rows).toHaveLength(1), { timeout: 10_000, interval: 5 });
  const whileWriting: Loss = async (run, cut) => {
    run().catch(() => undefined);
    await seen(atGate);
    return cut();
  };
  const answer = call(whileWriting);
  answer.catch(() => undefined); // told below
  try {
    await seen(behind);
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
  const value = await answer;
  await pool.query(`DROP FUNCTION ${schema}.through_gate() CASCADE; DROP TABLE ${schema}.gate`);
  return value;
}
