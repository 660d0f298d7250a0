import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Job } from '../../../stores/job.js';
import type { Stores } from '../../../stores/stores.js';
import {
  claimed,
  claimRequest,
  enqueued,
  jobNow,
  leaseMs,
  newJob,
  newOutboxRow,
  one,
  person,
  rolledBack,
  running,
  sampleDeadLetter,
  settled,
} from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';
import { replayOf } from './dead-letter-samples.js';

const hourMs = 3_600_000;

function cancels<Tx>(it: ContractCase<Tx>): void {
  it('WQ-1: cancel fails a queued job with its reason and without a dead letter', async ({ stores }) => {
    const job = await enqueued(stores, { delayMs: hourMs });
    assert.deepEqual(await stores.jobs.cancel([job.id], 'superseded'), ['cancelled']);
    const cancelled = await jobNow(stores, job.id);
    assert.deepEqual([cancelled.status, cancelled.result], ['failed', { cancelled: true, reason: 'superseded' }]);
    assert.deepEqual(
      [cancelled.claimedBy, cancelled.leaseExpiresAt, cancelled.finishedAt],
      [null, null, await stores.now()],
    );
    assert.ok(cancelled.transitionNo > job.transitionNo);
    assert.deepEqual(await stores.deadLetters.list({}), []);
  });

  it('WQ-1: cancel flags running jobs, refuses ended ones and answers in order', async ({ stores }) => {
    const busy = await running(stores);
    const done = await running(stores);
    await settled(stores, { lease: done.lease, kind: 'done', result: { ok: true }, requireNotified: false });
    const queued = await enqueued(stores);
    const ids = [busy.job.id, randomUUID(), done.job.id, queued.id, queued.id, busy.job.id];
    assert.deepEqual(await stores.jobs.cancel(ids, 'r'), [
      'cancel-requested',
      'not-found',
      'not-open',
      'cancelled',
      'not-open',
      'already-requested',
    ]);
    assert.deepEqual(await stores.jobs.cancel([busy.job.id], 'later'), ['already-requested']);
    assert.deepEqual(await jobNow(stores, busy.job.id), { ...busy.job, cancelReason: 'r' });
    assert.deepEqual((await jobNow(stores, done.job.id)).result, { ok: true });
  });

  it('WQ-1: a cancel says why, in 1 to 1,024 characters', async ({ stores }) => {
    const job = await enqueued(stores);
    for (const reason of ['', 'x'.repeat(1025)]) await assert.rejects(stores.jobs.cancel([job.id], reason), TypeError);
    assert.deepEqual(await jobNow(stores, job.id), job);
    assert.deepEqual(await stores.jobs.cancel([job.id], 'x'.repeat(1024)), ['cancelled']);
  });

  it('WQ-1: a cancel in a transaction that rolls back leaves the job claimable', async ({ stores }) => {
    const job = await enqueued(stores);
    await rolledBack(stores, async (tx) => {
      assert.deepEqual(await stores.jobs.cancel([job.id], 'r', { tx }), ['cancelled']);
    });
    assert.equal((await claimed(stores)).job.id, job.id);
  });
}

/** Reads all pages of `limit` jobs, each after the last of the page before. */
async function pages<Tx>(stores: Stores<Tx>, limit: number): Promise<Job[]> {
  const all: Job[] = [];
  for (;;) {
    const page = await stores.jobs.list({ limit, before: all.at(-1)?.id });
    all.push(...page);
    if (page.length < limit) return all;
  }
}

function reads<Tx>(it: ContractCase<Tx>): void {
  it('WQ-1: get answers in the order of the ids, null where there is none', async ({ stores }) => {
    const [a, b] = [await enqueued(stores), await enqueued(stores)];
    assert.deepEqual(await stores.jobs.get([b.id, randomUUID(), a.id, b.id]), [b, null, a, b]);
    assert.deepEqual(await stores.jobs.get([]), []);
  });

  it('WQ-1: list pages newest first, without gap or repeat, jobs of one instant included', async ({
    stores,
    clock,
  }) => {
    for (let n = 0; n < 4; n++) {
      await stores.jobs.enqueue(Array.from({ length: 5 }, () => newJob()));
      await clock.advance(1000);
    }
    const all = await stores.jobs.list({});
    assert.equal(all.length, 20);
    for (const [n, job] of all.entries()) {
      const next = all[n + 1];
      if (next !== undefined) assert.ok(job.createdAt.getTime() >= next.createdAt.getTime());
    }
    const ids = (jobs: readonly Job[]): string[] => jobs.map((job) => job.id);
    assert.deepEqual(ids(await pages(stores, 3)), ids(all));
    assert.deepEqual(ids(await pages(stores, 5)), ids(all));
  });

  it('WQ-1: list filters by kind, status and change', async ({ stores }) => {
    const mail = await enqueued(stores, { kind: 'mail', changelistId: 'p4main/7' });
    const busy = await running(stores, { changelistId: 'p4main/7' });
    const queued = await enqueued(stores, { changelistId: 'p4main/8' });
    const ids = async (filter: Parameters<typeof stores.jobs.list>[0]): Promise<string[]> =>
      (await stores.jobs.list(filter)).map(({ id }) => id);
    assert.deepEqual(await ids({ kind: 'mail' }), [mail.id]);
    assert.deepEqual(await ids({ status: 'running' }), [busy.job.id]);
    assert.deepEqual((await ids({ changelistId: 'p4main/7' })).sort(), [mail.id, busy.job.id].sort());
    assert.deepEqual(await ids({ kind: 'review', status: 'queued' }), [queued.id]);
    assert.deepEqual(await ids({ changelistId: 'p4main/7', status: 'completed' }), []);
  });

  it('WQ-1: list gives 100 by default, up to 1,000, and refuses more', async ({ stores }) => {
    await stores.jobs.enqueue(Array.from({ length: 101 }, () => newJob()));
    assert.equal((await stores.jobs.list({})).length, 100);
    assert.equal((await stores.jobs.list({ limit: 1000 })).length, 101);
    await assert.rejects(stores.jobs.list({ limit: 1001 }), TypeError);
    await assert.rejects(stores.jobs.list({ limit: 0 }), TypeError);
  });

  it('NOT-2: latestVersion is the newest by number, whatever its state', async ({ stores }) => {
    assert.equal(await stores.jobs.latestVersion('p4main/1001'), null);
    await enqueued(stores, { changelistId: 'p4main/1001', reviewVersion: 2 });
    const tenth = await enqueued(stores, { changelistId: 'p4main/1001', reviewVersion: 10 });
    await enqueued(stores, { changelistId: 'p4main/1002', reviewVersion: 11 });
    await stores.jobs.cancel([tenth.id], 'r');
    assert.deepEqual(await stores.jobs.latestVersion('p4main/1001'), await jobNow(stores, tenth.id));
  });

  it('WQ-1: depth counts the open jobs as stats do, ended ones make no difference', async ({ stores, clock }) => {
    const none = { due: 0, scheduled: 0, running: 0, oldestDueMs: 0 };
    assert.deepEqual(await stores.jobs.depth(), none);
    const done = await running(stores);
    await settled(stores, { lease: done.lease, kind: 'done', result: {}, requireNotified: false });
    assert.deepEqual(await stores.jobs.depth(), none);
    await running(stores);
    await enqueued(stores, { delayMs: 1000, priority: 9 });
    await enqueued(stores, { delayMs: hourMs });
    await clock.advance(500);
    await enqueued(stores);
    await clock.advance(2500);
    assert.deepEqual(await stores.jobs.depth(), { due: 2, scheduled: 1, running: 1, oldestDueMs: 2500 });
    await clock.advance(leaseMs);
    assert.deepEqual(await stores.jobs.depth(), { due: 2, scheduled: 1, running: 1, oldestDueMs: 2500 + leaseMs });
    const { completed, failed, ...depth } = await stores.jobs.stats();
    assert.deepEqual([completed, failed, depth], [1, 0, await stores.jobs.depth()]);
  });

  it('WQ-1: stats count each state once and tell the age of the oldest due job', async ({ stores, clock }) => {
    assert.deepEqual(await stores.jobs.stats(), {
      due: 0,
      scheduled: 0,
      running: 0,
      completed: 0,
      failed: 0,
      oldestDueMs: 0,
    });
    const done = await running(stores);
    await settled(stores, { lease: done.lease, kind: 'done', result: {}, requireNotified: false });
    const dead = await running(stores);
    await settled(stores, { lease: dead.lease, kind: 'dead-letter', deadLetter: sampleDeadLetter() });
    await running(stores);
    await enqueued(stores, { delayMs: hourMs });
    await enqueued(stores);
    await clock.advance(4000);
    await enqueued(stores);
    assert.deepEqual(await stores.jobs.stats(), {
      due: 2,
      scheduled: 1,
      running: 1,
      completed: 1,
      failed: 1,
      oldestDueMs: 4000,
    });
  });
}

function prunes<Tx>(it: ContractCase<Tx>): void {
  it('WQ-1: prune deletes old ended jobs with their mail rows and leaves the rest', async ({ stores, clock }) => {
    const done = await running(stores);
    await stores.outbox.add([newOutboxRow({ jobId: done.job.id, required: false })]);
    await settled(stores, { lease: done.lease, kind: 'done', result: {}, requireNotified: false });
    const cancelled = await enqueued(stores);
    await stores.jobs.cancel([cancelled.id], 'r');
    const open = await running(stores);
    await settled(stores, { lease: open.lease, kind: 'dead-letter', deadLetter: sampleDeadLetter() });
    const queued = await enqueued(stores, { kind: 'other' });
    await clock.advance(2 * hourMs);
    const busy = await running(stores);
    const young = await running(stores);
    await stores.outbox.add([newOutboxRow({ jobId: young.job.id, reviewVersion: 2 })]);
    await settled(stores, { lease: young.lease, kind: 'done', result: {}, requireNotified: false });
    await clock.advance(1000);
    assert.equal(await stores.jobs.prune({ olderThanMs: 3 * hourMs }), 0);
    assert.equal(await stores.jobs.prune({ olderThanMs: hourMs }), 2);
    const left = (await stores.jobs.list({})).map(({ id }) => id).sort();
    assert.deepEqual(left, [open.job.id, queued.id, busy.job.id, young.job.id].sort());
    assert.equal(one(await stores.outbox.list({})).jobId, young.job.id);
  });

  it('ERR-9: a failed job may be pruned once its dead letter is closed', async ({ stores, clock }) => {
    const { lease } = await running(stores);
    await settled(stores, { lease, kind: 'dead-letter', deadLetter: sampleDeadLetter() });
    await clock.advance(2 * hourMs);
    assert.equal(await stores.jobs.prune({ olderThanMs: hourMs }), 0);
    const letter = one(await stores.deadLetters.list({}));
    assert.equal(
      await stores.deadLetters.close(letter.id, { status: 'ignored', actor: person('op'), note: 'accepted' }),
      'closed',
    );
    assert.equal(await stores.jobs.prune({ olderThanMs: hourMs }), 1);
    assert.deepEqual(await stores.jobs.list({}), []);
  });

  it('ERR-9: a completed job whose replay lacks a required mail stays until its letter is closed', async ({
    stores,
    clock,
  }) => {
    const first = await running(stores, { changelistId: 'p4main/7', reviewVersion: 1 });
    await settled(stores, { lease: first.lease, kind: 'dead-letter', deadLetter: sampleDeadLetter() });
    const letter = one(await stores.deadLetters.list({}));
    assert.equal(await stores.deadLetters.replay(replayOf(letter)), 'replayed');
    const { lease, job } = await claimed(stores);
    const mail = newOutboxRow({ jobId: job.id, changelistId: 'p4main/7', reviewVersion: 1, required: true });
    await stores.outbox.add([mail]);
    await settled(stores, { lease, kind: 'done', result: {}, requireNotified: false });
    const status = async () => (await stores.deadLetters.get(letter.id))?.status;
    assert.deepEqual([(await jobNow(stores, job.id)).status, await status()], ['completed', 'replaying']);
    await clock.advance(2 * hourMs);
    assert.equal(await stores.jobs.prune({ olderThanMs: hourMs }), 0);
    assert.equal(await stores.retention.countExpired('jobs', { olderThanMs: hourMs }), 0);
    await stores.deadLetters.close(letter.id, { status: 'ignored', actor: person('op'), note: 'told by hand' });
    assert.equal(await stores.jobs.prune({ olderThanMs: hourMs }), 1);
  });

  it('WQ-1: prune deletes at most its limit', async ({ stores, clock }) => {
    await stores.jobs.enqueue(Array.from({ length: 5 }, () => newJob({ completedWith: { skipped: 'path' } })));
    await clock.advance(hourMs);
    assert.equal(await stores.jobs.prune({ olderThanMs: 1000, limit: 2 }), 2);
    assert.equal(await stores.jobs.prune({ olderThanMs: 1000 }), 3);
    await assert.rejects(stores.jobs.prune({ olderThanMs: -1 }), TypeError);
  });
}

/** Resolves when `called` fired, rejects after two seconds: the guard of a wake-up that was lost, not a way to wait. */
function within2s(called: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no wake-up within 2 s')), 2000);
    called.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function wakeUps<Tx>(it: ContractCase<Tx>): void {
  it('WQ-11: where subscribe is offered, every later enqueue wakes the listener until it ends', async ({ stores }) => {
    if (stores.jobs.subscribe === undefined) return;
    let wake: () => void = () => undefined;
    let calls = 0;
    const next = (): Promise<void> => new Promise((resolve) => (wake = resolve));
    const end = await stores.jobs.subscribe(() => {
      calls += 1;
      wake();
    });
    for (let n = 0; n < 3; n++) {
      const woken = next();
      await stores.jobs.enqueue([newJob()]);
      await within2s(woken);
    }
    const byTransaction = next();
    await stores.transaction((tx) => stores.jobs.enqueue([newJob()], { tx }));
    await within2s(byTransaction);
    await end();
    const before = calls;
    let stillThere: () => void = () => undefined;
    const other = new Promise<void>((resolve) => (stillThere = resolve));
    const endOther = await stores.jobs.subscribe(() => stillThere());
    await stores.jobs.enqueue([newJob()]);
    await within2s(other);
    assert.equal(calls, before);
    await endOther();
    assert.equal((await stores.jobs.claim(claimRequest({ limit: 10 }))).length, 5);
  });
}

/** `cancel`, the reads, `prune`, `subscribe`. */
export function operateCases<Tx>(it: ContractCase<Tx>): void {
  cancels(it);
  reads(it);
  prunes(it);
  wakeUps(it);
}
