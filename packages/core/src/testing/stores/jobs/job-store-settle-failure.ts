import assert from 'node:assert/strict';
import {
  claimed,
  claimRequest,
  jobNow,
  leaseMs,
  one,
  running,
  sampleDeadLetter,
  sampleFailure,
  settled,
} from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';

/** What a job that did not succeed leaves: another attempt, a wait, a release or a dead letter. */
export function settleFailureCases<Tx>(it: ContractCase<Tx>): void {
  it('ERR-5: retry queues the job for later, keeps the attempt spent and records the failure window', async ({
    stores,
    clock,
  }) => {
    const first = await running(stores);
    const failedAt = await stores.now();
    await settled(stores, { lease: first.lease, kind: 'retry', delayMs: 2000, failure: sampleFailure('FIRST') });
    const queued = await jobNow(stores, first.job.id);
    assert.deepEqual(
      [queued.status, queued.claimedBy, queued.leaseExpiresAt, queued.attempts],
      ['queued', null, null, { fetch: 1 }],
    );
    assert.deepEqual(
      [queued.firstFailureAt, queued.lastFailureAt, queued.lastFailure],
      [failedAt, failedAt, sampleFailure('FIRST')],
    );
    assert.deepEqual(queued.runAt, new Date(failedAt.getTime() + 2000));
    assert.deepEqual(await stores.jobs.claim(claimRequest()), []);
    await clock.advance(2000);
    const second = await claimed(stores);
    assert.deepEqual(second.job.attempts, { fetch: 2 });
    await settled(stores, { lease: second.lease, kind: 'retry', delayMs: 0, failure: sampleFailure('SECOND') });
    const again = await jobNow(stores, first.job.id);
    assert.deepEqual(
      [again.firstFailureAt, again.lastFailureAt, again.lastFailure?.code],
      [failedAt, await stores.now(), 'SECOND'],
    );
  });

  it('ERR-5: wait gives the attempt back, names its reason and leaves the failure window alone', async ({
    stores,
    clock,
  }) => {
    const { job, lease } = await running(stores);
    await settled(stores, { lease, kind: 'wait', delayMs: 5000, reason: 'llm breaker open' });
    const waiting = await jobNow(stores, job.id);
    assert.deepEqual(
      [waiting.status, waiting.claimedBy, waiting.leaseExpiresAt, waiting.waitingFor, waiting.attempts['fetch'] ?? 0],
      ['queued', null, null, 'llm breaker open', 0],
    );
    assert.deepEqual([waiting.firstFailureAt, waiting.lastFailure], [null, null]);
    assert.deepEqual(waiting.runAt, new Date((await stores.now()).getTime() + 5000));
    assert.deepEqual(await stores.jobs.claim(claimRequest()), []);
    await clock.advance(5000);
    const back = await claimed(stores);
    assert.deepEqual([back.job.attempts, back.job.waitingFor], [{ fetch: 1 }, null]);
  });

  it('WQ-12: release queues the job at once and gives the attempt back', async ({ stores }) => {
    const { job, lease } = await running(stores);
    await settled(stores, { lease, kind: 'release' });
    const queued = await jobNow(stores, job.id);
    assert.deepEqual(
      [queued.status, queued.claimedBy, queued.leaseExpiresAt, queued.attempts['fetch'] ?? 0],
      ['queued', null, null, 0],
    );
    assert.deepEqual((await claimed(stores)).job.attempts, { fetch: 1 });
  });

  it('ERR-5: giving back an attempt touches the stage under way alone', async ({ stores }) => {
    const { job, lease } = await running(stores);
    await settled(stores, { lease, kind: 'advance', stage: 'llm', leaseMs });
    await settled(stores, { lease, kind: 'wait', delayMs: 0, reason: 'budget' });
    const { attempts } = await jobNow(stores, job.id);
    assert.deepEqual([attempts['fetch'], attempts['llm'] ?? 0], [1, 0]);
  });

  it('ERR-6 WQ-12: dead-letter fails the job and stores what an operator needs', async ({ stores, clock }) => {
    const first = await running(stores, { changelistId: 'p4main/1001', reviewVersion: 1 });
    const firstFailureAt = await stores.now();
    await settled(stores, { lease: first.lease, kind: 'retry', delayMs: 1000, failure: sampleFailure() });
    await clock.advance(1000);
    const { job, lease } = await claimed(stores);
    await settled(stores, {
      lease,
      kind: 'dead-letter',
      deadLetter: sampleDeadLetter(),
      effects: { outputs: { 'llm.reply.1': 'a-1' } },
    });
    const now = await stores.now();
    const failed = await jobNow(stores, job.id);
    assert.deepEqual(
      [failed.status, failed.claimedBy, failed.leaseExpiresAt, failed.finishedAt],
      ['failed', null, null, now],
    );
    assert.deepEqual(failed.outputs, { 'llm.reply.1': 'a-1' });
    const { id, ...letter } = one(await stores.deadLetters.list({}));
    assert.deepEqual(letter, {
      ...sampleDeadLetter(),
      jobId: job.id,
      kind: 'review',
      changelistId: 'p4main/1001',
      stage: 'fetch',
      causeKey: letter.causeKey,
      cause: 'Error',
      attempts: 2,
      firstFailureAt,
      lastFailureAt: now,
      createdAt: now,
      updatedAt: now,
      status: 'open',
      replays: 0,
      replayOf: null,
      notes: [],
    });
    assert.deepEqual(await stores.deadLetters.get(id), { id, ...letter });
  });

  it('ERR-7: a first failure that is a dead letter is its own failure window', async ({ stores, clock }) => {
    const { lease } = await running(stores);
    await clock.advance(1000);
    await settled(stores, { lease, kind: 'dead-letter', deadLetter: sampleDeadLetter({ escalation: 'page' }) });
    const letter = one(await stores.deadLetters.list({}));
    assert.deepEqual(
      [letter.firstFailureAt, letter.lastFailureAt, letter.attempts],
      [await stores.now(), await stores.now(), 1],
    );
    assert.equal(letter.changelistId, null);
  });

  it('ERR-7: the failure that ends a job in a dead letter is its last failure, whatever failed before', async ({
    stores,
    clock,
  }) => {
    const first = await running(stores);
    const firstFailureAt = await stores.now();
    await settled(stores, { lease: first.lease, kind: 'retry', delayMs: 1000, failure: sampleFailure('OLDER') });
    await clock.advance(1000);
    const again = await claimed(stores);
    const lastFailureAt = await stores.now();
    // Past 1,024 bytes in the middle of a code point of three bytes.
    const head = 'Error: no\u00a0answer ';
    const deadLetter = sampleDeadLetter({
      errorClass: 'LATER',
      category: 'auth',
      lastStack: `${head}${'\u20ac'.repeat(400)}\n    at handler`,
    });
    await settled(stores, { lease: again.lease, kind: 'dead-letter', deadLetter });
    const failed = await jobNow(stores, first.job.id);
    const fits = Math.floor((1024 - Buffer.byteLength(head)) / 3);
    assert.deepEqual(failed.lastFailure, {
      code: 'LATER',
      category: 'auth',
      message: `${head}${'\u20ac'.repeat(fits)}`,
    });
    assert.deepEqual([failed.firstFailureAt, failed.lastFailureAt], [firstFailureAt, lastFailureAt]);
    assert.deepEqual(one(await stores.jobs.list({ status: 'failed' })), failed);
  });

  it('ERR-7: a dead letter without an earlier failure fills the whole failure window of its job', async ({
    stores,
    clock,
  }) => {
    const { job, lease } = await running(stores);
    await clock.advance(1000);
    const now = await stores.now();
    await settled(stores, {
      lease,
      kind: 'dead-letter',
      deadLetter: sampleDeadLetter({ lastStack: 'TypeError: odd\r\n    at handler' }),
    });
    const failed = await jobNow(stores, job.id);
    assert.deepEqual(failed.lastFailure, { code: 'SCHEMA_INVALID', category: 'validation', message: 'TypeError: odd' });
    assert.deepEqual([failed.firstFailureAt, failed.lastFailureAt], [now, now]);
  });
}
