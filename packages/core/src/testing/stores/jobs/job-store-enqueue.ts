import assert from 'node:assert/strict';
import { claimed, claimRequest, enqueued, gate, jobNow, newJob, one, RolledBack, rolledBack } from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';
import { badJobs, traceparent } from './bad-jobs.js';

const change = { changelistId: 'p4main/1001' };

function keys<Tx>(it: ContractCase<Tx>): void {
  it('WQ-1: a new job is queued and due at once, with the defaults of the port', async ({ stores }) => {
    const now = await stores.now();
    const job = await enqueued(stores, { payload: { a: [1, null, 'ü😀'], b: { c: true } } });
    assert.equal(job.status, 'queued');
    assert.deepEqual(job.payload, { a: [1, null, 'ü😀'], b: { c: true } });
    assert.deepEqual([job.priority, job.lostLeases, job.stage, job.kind], [0, 0, 'fetch', 'review']);
    assert.deepEqual([job.attempts, job.outputs], [{}, {}]);
    assert.deepEqual([job.createdAt, job.updatedAt, job.runAt], [now, now, now]);
    const empty = [
      job.startedAt,
      job.finishedAt,
      job.changelistId,
      job.reviewVersion,
      job.claimedBy,
      job.leaseExpiresAt,
      job.firstFailureAt,
    ];
    assert.ok(
      [...empty, job.lastFailureAt, job.lastFailure, job.waitingFor, job.result, job.replayOf, job.traceparent].every(
        (field) => field === null,
      ),
    );
    assert.deepEqual(await jobNow(stores, job.id), job);
  });

  it('WQ-1: text is kept to the character, all but NUL and halves of surrogate pairs, which no store takes', async ({
    stores,
  }) => {
    const odd = '\u0001\t\r\n\u007f\u2028\ufffe\uffff \\u0000 \\ud83d "\'\\ \ue000 e\u0301 \u{10ffff}';
    const job = await enqueued(stores, {
      idempotencyKey: odd,
      stage: odd,
      payload: { [odd]: odd },
      completedWith: { [odd]: [odd] },
    });
    const stored = await jobNow(stores, job.id);
    assert.deepEqual(stored, job);
    assert.deepEqual(
      [stored.idempotencyKey, stored.stage, stored.payload, stored.result],
      [odd, odd, { [odd]: odd }, { [odd]: [odd] }],
    );
    assert.equal(one(await stores.jobs.enqueue([newJob({ idempotencyKey: odd })])).outcome, 'duplicate');
  });

  it('OPS-6: a traceparent is kept from the enqueue on, through a claim, a retry and an expiry, and never replaced', async ({
    stores,
    clock,
  }) => {
    const idempotencyKey = 'traced';
    const job = await enqueued(stores, { idempotencyKey, traceparent });
    assert.deepEqual([job.traceparent, (await jobNow(stores, job.id)).traceparent], [traceparent, traceparent]);
    const again = one(
      await stores.jobs.enqueue([newJob({ idempotencyKey, traceparent: `${traceparent.slice(0, -1)}0` })]),
    );
    assert.deepEqual([again.outcome, again.job.traceparent], ['duplicate', traceparent]);
    const [plain] = await stores.jobs.enqueue([newJob({ idempotencyKey: 'plain' })]);
    const first = await stores.jobs.claim({ ...claimRequest(), limit: 2 });
    const traced = first.find((one) => one.job.id === job.id);
    assert.ok(traced);
    assert.deepEqual(
      first.map((one) => [one.job.id, one.job.traceparent]).sort(),
      [
        [job.id, traceparent],
        [plain?.job.id, null],
      ].sort(),
    );
    const failure = { code: 'X', category: 'network', message: '' } as const;
    await stores.jobs.settle([{ lease: traced.lease, kind: 'retry', delayMs: 0, failure }]);
    const second = (await stores.jobs.claim(claimRequest())).find((one) => one.job.id === job.id);
    assert.equal(second?.job.traceparent, traceparent);
    await clock.advance(10 * 60_000);
    const third = (await stores.jobs.claim({ ...claimRequest(), limit: 2 })).find((one) => one.job.id === job.id);
    assert.equal(third?.job.traceparent, traceparent);
    assert.ok((await stores.jobs.list({})).some((one) => one.traceparent === traceparent));
  });

  it('NOT-1: a known key returns the existing job and changes nothing', async ({ stores, clock }) => {
    const first = await enqueued(stores, { idempotencyKey: 'k', payload: 'one' });
    await clock.advance(1000);
    const again = one(await stores.jobs.enqueue([newJob({ idempotencyKey: 'k', payload: 'two', priority: 9 })]));
    assert.deepEqual(again, { outcome: 'duplicate', job: first });
    assert.deepEqual(await jobNow(stores, first.id), first);
  });

  it('NOT-1: a key stays known after its job ended', async ({ stores }) => {
    const job = await enqueued(stores, { idempotencyKey: 'k' });
    const { lease } = await claimed(stores);
    await stores.jobs.settle([{ lease, kind: 'done', result: {}, requireNotified: false }]);
    const again = one(await stores.jobs.enqueue([newJob({ idempotencyKey: 'k' })]));
    assert.deepEqual([again.outcome, again.job.id, again.job.status], ['duplicate', job.id, 'completed']);
  });

  it('NOT-1: fifty concurrent submits of one key make one job', async ({ stores }) => {
    const calls = Array.from({ length: 50 }, (_, n) =>
      stores.jobs.enqueue([newJob({ idempotencyKey: 'k', payload: n })]),
    );
    const results = (await Promise.all(calls)).map(one);
    assert.equal(results.filter((result) => result.outcome === 'enqueued').length, 1);
    assert.equal(results.filter((result) => result.outcome === 'duplicate').length, 49);
    assert.equal(new Set(results.map((result) => result.job.id)).size, 1);
    assert.equal((await stores.jobs.list({})).length, 1);
  });

  it('NOT-1: the same key twice in one call makes one job, results in order', async ({ stores }) => {
    const results = await stores.jobs.enqueue([
      newJob({ idempotencyKey: 'a', payload: 1 }),
      newJob({ idempotencyKey: 'b' }),
      newJob({ idempotencyKey: 'a', payload: 2 }),
    ]);
    assert.deepEqual(
      results.map((result) => result.outcome),
      ['enqueued', 'enqueued', 'duplicate'],
    );
    assert.deepEqual(results[2]?.job, results[0]?.job);
    assert.deepEqual(
      results.map((result) => result.job.idempotencyKey),
      ['a', 'b', 'a'],
    );
  });

  it('NOT-1: an empty call stores nothing', async ({ stores }) => {
    assert.deepEqual(await stores.jobs.enqueue([]), []);
    assert.deepEqual(await stores.jobs.list({}), []);
  });
}

function versions<Tx>(it: ContractCase<Tx>): void {
  it('NOT-2: the same change and version under another key is the existing job', async ({ stores }) => {
    const first = await enqueued(stores, { ...change, reviewVersion: 1 });
    const again = one(await stores.jobs.enqueue([newJob({ ...change, reviewVersion: 1 })]));
    assert.deepEqual(again, { outcome: 'same-version', job: first });
    assert.equal((await stores.jobs.list({})).length, 1);
  });

  it('NOT-2: a strictly higher version makes a new job, a lower one is refused with the newest', async ({ stores }) => {
    const third = await enqueued(stores, { ...change, reviewVersion: 3 });
    const second = one(await stores.jobs.enqueue([newJob({ ...change, reviewVersion: 2 })]));
    assert.deepEqual(second, { outcome: 'older-version', job: third });
    const fourth = await enqueued(stores, { ...change, reviewVersion: 4 });
    assert.notEqual(fourth.id, third.id);
    assert.equal(fourth.changelistId, third.changelistId);
    const stored = one(await stores.jobs.enqueue([newJob({ ...change, reviewVersion: 3 })]));
    assert.deepEqual([stored.outcome, stored.job.id], ['same-version', third.id]);
    const another = await enqueued(stores, { changelistId: 'p4main/1002', reviewVersion: 1 });
    assert.equal(another.reviewVersion, 1);
  });

  it('NOT-2: versions are compared as numbers, and inside one call in order', async ({ stores }) => {
    const results = await stores.jobs.enqueue(
      [9, 10, 9, 8].map((reviewVersion) => newJob({ ...change, reviewVersion })),
    );
    assert.deepEqual(
      results.map((result) => [result.outcome, result.job.reviewVersion]),
      [
        ['enqueued', 9],
        ['enqueued', 10],
        ['same-version', 9],
        ['older-version', 10],
      ],
    );
    assert.equal((await stores.jobs.latestVersion(change.changelistId))?.reviewVersion, 10);
  });

  it('NOT-2: a known key wins over the version rules', async ({ stores }) => {
    const first = await enqueued(stores, { ...change, reviewVersion: 1, idempotencyKey: 'k' });
    await enqueued(stores, { ...change, reviewVersion: 2 });
    const again = one(await stores.jobs.enqueue([newJob({ ...change, reviewVersion: 5, idempotencyKey: 'k' })]));
    assert.deepEqual([again.outcome, again.job.id], ['duplicate', first.id]);
  });

  it('NOT-2: twenty concurrent submits of one version under different keys make one job', async ({ stores }) => {
    const calls = Array.from({ length: 20 }, () => stores.jobs.enqueue([newJob({ ...change, reviewVersion: 7 })]));
    const outcomes = (await Promise.all(calls)).map((results) => one(results).outcome);
    assert.equal(outcomes.filter((outcome) => outcome === 'enqueued').length, 1);
    assert.equal(outcomes.filter((outcome) => outcome === 'same-version').length, 19);
  });

  it('NOT-2: jobs of a change without a version are not compared', async ({ stores }) => {
    await enqueued(stores, change);
    await enqueued(stores, change);
    assert.equal(await stores.jobs.latestVersion(change.changelistId), null);
  });

  it('INT-1: completedWith stores a completed job that nobody claims and that holds its version', async ({
    stores,
  }) => {
    const now = await stores.now();
    const job = await enqueued(stores, { ...change, reviewVersion: 1, completedWith: { skipped: 'path' } });
    assert.deepEqual([job.status, job.result, job.finishedAt], ['completed', { skipped: 'path' }, now]);
    assert.deepEqual(await stores.jobs.claim(claimRequest()), []);
    assert.equal(one(await stores.jobs.enqueue([newJob({ ...change, reviewVersion: 1 })])).outcome, 'same-version');
  });
}

function transactions<Tx>(it: ContractCase<Tx>): void {
  it('AUD-2: a job enqueued in the caller’s transaction commits with it', async ({ stores }) => {
    const id = await stores.transaction(async (tx) => {
      const { job } = one(await stores.jobs.enqueue([newJob()], { tx }));
      assert.equal(one(await stores.jobs.get([job.id], { tx }))?.id, job.id);
      return job.id;
    });
    assert.equal((await claimed(stores)).job.id, id);
  });

  it('NOT-1: a rolled back enqueue leaves no job and its key free', async ({ stores }) => {
    await rolledBack(stores, async (tx) => {
      await stores.jobs.enqueue([newJob({ idempotencyKey: 'k', ...change, reviewVersion: 2 })], { tx });
    });
    assert.deepEqual(await stores.jobs.list({}), []);
    assert.equal(await stores.jobs.latestVersion(change.changelistId), null);
    await enqueued(stores, { idempotencyKey: 'k', ...change, reviewVersion: 1 });
  });

  it('WQ-2: a job of a transaction that rolls back is never claimed', async ({ stores }) => {
    const [inside, leave] = [gate(), gate()];
    const transaction = stores.transaction(async (tx) => {
      await stores.jobs.enqueue([newJob()], { tx });
      inside.open();
      await leave.opened;
      throw new RolledBack('planned');
    });
    const refused = assert.rejects(transaction, RolledBack);
    await inside.opened;
    const claim = stores.jobs.claim(claimRequest());
    leave.open();
    await refused;
    assert.deepEqual(await claim, []);
  });

  it('NOT-1: a call with one bad job stores none of its jobs', async ({ stores }) => {
    for (const [option, job] of badJobs) {
      await assert.rejects(stores.jobs.enqueue([newJob(), job]), TypeError, option);
    }
    assert.deepEqual(await stores.jobs.list({}), []);
  });

  it('INV-1: rows handed out are copies', async ({ stores }) => {
    const payload = { list: [1, 2] };
    const job = await enqueued(stores, { payload });
    payload.list.push(3);
    (job.payload as { list: number[] }).list.push(4);
    job.runAt.setTime(0);
    const stored = await jobNow(stores, job.id);
    assert.deepEqual(stored.payload, { list: [1, 2] });
    assert.notEqual(stored.runAt.getTime(), 0);
  });
}

/** `JobStore.enqueue`: keys, versions, transactions, bad input. */
export function enqueueCases<Tx>(it: ContractCase<Tx>): void {
  keys(it);
  versions(it);
  transactions(it);
}
