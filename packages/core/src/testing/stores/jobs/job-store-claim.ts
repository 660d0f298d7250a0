import assert from 'node:assert/strict';
import {
  claimed,
  claimRequest,
  enqueued,
  jobNow,
  leaseMs,
  newJob,
  one,
  person,
  running,
  sampleDeadLetter,
  sampleFailure,
  settled,
} from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';

function ownership<Tx>(it: ContractCase<Tx>): void {
  it('WQ-4: a claim sets owner, expiry, start and update by the store’s clock and counts the attempt', async ({
    stores,
    clock,
  }) => {
    const job = await enqueued(stores);
    await clock.advance(5000);
    const now = await stores.now();
    const request = claimRequest();
    const taken = one(await stores.jobs.claim(request));
    assert.deepEqual(taken.lease, { jobId: job.id, owner: request.owner, token: request.token });
    const { status, claimedBy, leaseExpiresAt, startedAt, updatedAt, attempts } = taken.job;
    assert.deepEqual(
      { status, claimedBy, leaseExpiresAt, startedAt, updatedAt, attempts },
      {
        status: 'running',
        claimedBy: request.owner,
        leaseExpiresAt: new Date(now.getTime() + leaseMs),
        startedAt: now,
        updatedAt: now,
        attempts: { fetch: 1 },
      },
    );
    assert.ok(taken.job.transitionNo > job.transitionNo);
    assert.deepEqual(await jobNow(stores, job.id), taken.job);
  });

  it('WQ-4: a claim gives each job as a look at it does, whatever the job went through', async ({ stores }) => {
    const text = 'quote " backslash \\ line\nend, \u{1f600} {"a":[null]}';
    await enqueued(stores, { kind: 'plain', priority: -2, payload: text });
    await enqueued(stores, {
      kind: 'change',
      changelistId: 'p4/9',
      reviewVersion: 3,
      payload: [1.5, { text, none: null }],
    });
    await enqueued(stores, { kind: 'unversioned', changelistId: 'p4/10' });
    const retried = await running(stores, { kind: 'retried' });
    await settled(stores, {
      lease: retried.lease,
      kind: 'retry',
      delayMs: 0,
      failure: { ...sampleFailure(), message: text },
    });
    const waited = await running(stores, { kind: 'waited' });
    await settled(stores, {
      lease: waited.lease,
      kind: 'advance',
      stage: 'llm',
      leaseMs,
      effects: { outputs: { fetch: 'a-1' } },
    });
    await settled(stores, { lease: waited.lease, kind: 'wait', delayMs: 0, reason: 'capacity' });
    const replayed = await running(stores, { kind: 'replayed' });
    await settled(stores, { lease: replayed.lease, kind: 'dead-letter', deadLetter: sampleDeadLetter() });
    const { id: deadLetterId, stage } = one(await stores.deadLetters.list({}));
    await stores.deadLetters.replay({
      deadLetterId,
      stage,
      fromStart: false,
      actor: person('op-1'),
      evidence: 'mended',
    });
    const kinds = ['plain', 'change', 'unversioned', 'retried', 'waited', 'replayed'];
    const taken = await stores.jobs.claim(claimRequest({ kinds, limit: 10 }));
    assert.equal(taken.length, kinds.length);
    for (const { job } of taken) assert.deepEqual(job, await jobNow(stores, job.id));
  });

  it('WQ-2: a claim of jobs with much payload gives all of them whole, in order', async ({ stores }) => {
    const payload = (n: number): string => `${n} ${'x'.repeat(1024 * 1024)}`;
    for (let n = 0; n < 18; n++) await enqueued(stores, { priority: -n, payload: payload(n) });
    const taken = await stores.jobs.claim(claimRequest({ limit: 18 }));
    assert.equal(taken.length, 18);
    for (const [n, { job }] of taken.entries()) assert.ok(job.payload === payload(n), `job ${n} has its own payload`);
  });

  it('WQ-2: a claimed job is not claimed again, and ended ones never', async ({ stores }) => {
    const first = await running(stores);
    assert.deepEqual(await stores.jobs.claim(claimRequest()), []);
    await settled(stores, { lease: first.lease, kind: 'done', result: {}, requireNotified: false });
    assert.deepEqual(await stores.jobs.claim(claimRequest()), []);
    const cancelled = await enqueued(stores);
    await stores.jobs.cancel([cancelled.id], 'not wanted');
    assert.deepEqual(await stores.jobs.claim(claimRequest()), []);
  });

  it('WQ-2: thirty concurrent claims take every job once', async ({ stores }) => {
    await stores.jobs.enqueue(Array.from({ length: 60 }, () => newJob()));
    const calls = Array.from({ length: 30 }, () => stores.jobs.claim(claimRequest({ limit: 3 })));
    const taken = (await Promise.all(calls)).flat();
    assert.equal(taken.length, 60);
    assert.equal(new Set(taken.map(({ job }) => job.id)).size, 60);
    for (const { job, lease } of taken) assert.equal((await jobNow(stores, job.id)).claimedBy, lease.owner);
  });

  it('WQ-2: a claim takes at most its limit and gives nothing when nothing is due', async ({ stores }) => {
    assert.deepEqual(await stores.jobs.claim(claimRequest()), []);
    await stores.jobs.enqueue(Array.from({ length: 5 }, () => newJob()));
    assert.equal((await stores.jobs.claim(claimRequest({ limit: 3 }))).length, 3);
    assert.equal((await stores.jobs.claim(claimRequest({ limit: 3 }))).length, 2);
  });

  it('WQ-2: a malformed claim is a TypeError and takes nothing', async ({ stores }) => {
    await enqueued(stores);
    for (const over of [
      { limit: 0 },
      { limit: 1.5 },
      { leaseMs: 0 },
      { leaseMs: Number.NaN },
      { owner: '' },
      { token: '' },
    ]) {
      await assert.rejects(stores.jobs.claim(claimRequest(over)), TypeError);
    }
    assert.equal((await claimed(stores)).job.attempts['fetch'], 1);
  });
}

function order<Tx>(it: ContractCase<Tx>): void {
  it('WQ-3: claims follow priority descending, created ascending, id ascending', async ({ stores, clock }) => {
    for (const priority of [0, 5, -3, 5, 0]) {
      await stores.jobs.enqueue([newJob({ priority }), newJob({ priority })]);
      await clock.advance(10);
    }
    const expected = [...(await stores.jobs.list({}))]
      .sort(
        (a, b) => b.priority - a.priority || a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1),
      )
      .map((job) => job.id);
    const taken: string[] = [];
    for (let n = 0; n < 5; n++) taken.push((await claimed(stores)).job.id);
    taken.push(...(await stores.jobs.claim(claimRequest({ limit: 10 }))).map(({ job }) => job.id));
    assert.deepEqual(taken, expected);
  });

  it('WQ-3: only the kinds asked for are claimed', async ({ stores }) => {
    await enqueued(stores, { kind: 'mail', priority: 9 });
    const review = await enqueued(stores, { kind: 'review' });
    assert.equal((await claimed(stores, { kinds: ['review', 'other'], limit: 10 })).job.id, review.id);
    assert.deepEqual(await stores.jobs.claim(claimRequest({ kinds: [] })), []);
    assert.equal((await claimed(stores, { kinds: ['mail'] })).job.kind, 'mail');
  });

  it('WQ-3: a delayed job is claimed from its instant on, not before', async ({ stores, clock }) => {
    const job = await enqueued(stores, { delayMs: 60_000, priority: 9 });
    assert.equal(job.status, 'queued');
    assert.equal(job.runAt.getTime() - job.createdAt.getTime(), 60_000);
    const due = await enqueued(stores);
    const taken = await claimed(stores, { limit: 10 });
    assert.equal(taken.job.id, due.id);
    await settled(stores, { lease: taken.lease, kind: 'done', result: {}, requireNotified: false });
    await clock.advance(59_999);
    assert.deepEqual(await stores.jobs.claim(claimRequest()), []);
    await clock.advance(1);
    assert.equal((await claimed(stores)).job.id, job.id);
  });

  it('WQ-3: runAt wins over delayMs; an instant in the past is due at once', async ({ stores, clock }) => {
    const now = (await stores.now()).getTime();
    const later = await enqueued(stores, { runAt: new Date(now + 5000), delayMs: 0 });
    assert.deepEqual(later.runAt, new Date(now + 5000));
    const past = await enqueued(stores, { runAt: new Date(now - 86_400_000), delayMs: 99_000 });
    assert.equal((await claimed(stores, { limit: 10 })).job.id, past.id);
    await clock.advance(5000);
    assert.equal((await claimed(stores)).job.id, later.id);
  });

  it('WQ-3: a delayed job that became due keeps its place by priority', async ({ stores, clock }) => {
    await enqueued(stores);
    const urgent = await enqueued(stores, { delayMs: 1000, priority: 1 });
    await clock.advance(1000);
    assert.equal((await claimed(stores)).job.id, urgent.id);
  });
}

function expiry<Tx>(it: ContractCase<Tx>): void {
  it('WQ-8: a claim takes an expired lease at its instant, counts the lost lease and the new attempt', async ({
    stores,
    clock,
  }) => {
    const first = await running(stores);
    await clock.advance(leaseMs - 1);
    assert.deepEqual(await stores.jobs.claim(claimRequest()), []);
    await clock.advance(1);
    const second = await claimed(stores);
    assert.equal(second.job.id, first.job.id);
    assert.deepEqual([second.job.attempts, second.job.lostLeases], [{ fetch: 2 }, 1]);
    assert.deepEqual(second.job.startedAt, await stores.now());
    assert.ok(second.job.transitionNo > first.job.transitionNo);
    assert.deepEqual(
      await stores.jobs.settle([{ lease: first.lease, kind: 'done', result: {}, requireNotified: false }]),
      ['lease-lost'],
    );
    assert.deepEqual(await jobNow(stores, first.job.id), second.job);
  });

  it('WQ-8: an expired job stands in the same order as the queued ones', async ({ stores, clock }) => {
    const low = await running(stores, { priority: -1 });
    await clock.advance(leaseMs);
    const high = await enqueued(stores, { priority: 1 });
    assert.equal((await claimed(stores)).job.id, high.id);
    assert.equal((await claimed(stores)).job.id, low.job.id);
  });

  it('WQ-9: twenty concurrent claims of one expired job give it to one', async ({ stores, clock }) => {
    const { job } = await running(stores);
    await clock.advance(leaseMs);
    const taken = (await Promise.all(Array.from({ length: 20 }, () => stores.jobs.claim(claimRequest())))).flat();
    assert.equal(one(taken).job.id, job.id);
    assert.deepEqual((await jobNow(stores, job.id)).attempts, { fetch: 2 });
  });

  it('WQ-8: an expired job of another kind is not claimed', async ({ stores, clock }) => {
    await running(stores, { kind: 'mail' });
    await clock.advance(leaseMs);
    assert.deepEqual(await stores.jobs.claim(claimRequest({ kinds: ['review'] })), []);
    assert.equal((await claimed(stores, { kinds: ['mail'] })).job.attempts['fetch'], 2);
  });
}

/** `JobStore.claim`: ownership, order, expiry. */
export function claimCases<Tx>(it: ContractCase<Tx>): void {
  ownership(it);
  order(it);
  expiry(it);
}
