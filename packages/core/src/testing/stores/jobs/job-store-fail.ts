import assert from 'node:assert/strict';
import {
  claimed,
  jobNow,
  leaseMs,
  one,
  person,
  running,
  sampleDeadLetter,
  sampleFailure,
  settled,
} from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';

/** The end of a running job that fails with nothing left to cure (ruling R1). */
export function failCases<Tx>(it: ContractCase<Tx>): void {
  it('WQ-1 ERR-6: fail ends a job as failed with its code, clears the lease and leaves no dead letter', async ({
    stores,
    clock,
  }) => {
    const { job, lease } = await running(stores);
    await clock.advance(3000);
    const now = await stores.now();
    const failure = sampleFailure('OVERTAKEN');
    await settled(stores, {
      lease,
      kind: 'fail',
      failure,
      result: { superseded: true },
      effects: { outputs: { r: 'a-1' } },
    });
    const failed = await jobNow(stores, job.id);
    assert.deepEqual(
      [failed.status, failed.claimedBy, failed.leaseExpiresAt, failed.waitingFor, failed.result, failed.outputs],
      ['failed', null, null, null, { superseded: true }, { r: 'a-1' }],
    );
    assert.deepEqual(
      [failed.finishedAt, failed.firstFailureAt, failed.lastFailureAt, failed.lastFailure],
      [now, now, now, failure],
    );
    assert.ok(failed.transitionNo > job.transitionNo);
    assert.deepEqual(await stores.deadLetters.list({}), []);
    assert.deepEqual(await stores.jobs.settle([{ lease, kind: 'fail', failure }]), ['lease-lost']);
    await clock.advance(leaseMs);
    assert.deepEqual(await stores.jobs.requeueExpired(), []);
    assert.deepEqual(await jobNow(stores, job.id), failed);
  });

  it('WQ-1: a job that ended by fail is pruned as one that completed; its result is null unless one is given', async ({
    stores,
    clock,
  }) => {
    const { job, lease } = await running(stores);
    await settled(stores, { lease, kind: 'fail', failure: sampleFailure() });
    assert.equal((await jobNow(stores, job.id)).result, null);
    await clock.advance(5000);
    assert.equal(await stores.jobs.prune({ olderThanMs: 10_000 }), 0);
    assert.equal(await stores.jobs.prune({ olderThanMs: 1000 }), 1);
    assert.deepEqual(await stores.jobs.list({}), []);
  });

  it('ERR-9: a replay that ends by fail writes no second letter; the first one is ignored, with the code', async ({
    stores,
  }) => {
    const first = await running(stores);
    await settled(stores, { lease: first.lease, kind: 'dead-letter', deadLetter: sampleDeadLetter() });
    const { id } = one(await stores.deadLetters.list({}));
    const replay = { deadLetterId: id, stage: 'fetch', fromStart: false, actor: person('op'), evidence: 'fixed' };
    assert.equal(await stores.deadLetters.replay(replay), 'replayed');
    const { lease } = await claimed(stores);
    await settled(stores, { lease, kind: 'fail', failure: sampleFailure('OVERTAKEN') });
    assert.equal((await jobNow(stores, first.job.id)).lastFailure?.code, 'OVERTAKEN');
    const letter = one(await stores.deadLetters.list({}));
    assert.deepEqual([letter.status, letter.notes.at(-1)?.kind], ['ignored', 'system']);
    assert.match(letter.notes.at(-1)?.text ?? '', /OVERTAKEN/);
  });
}
