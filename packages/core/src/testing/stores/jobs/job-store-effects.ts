import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { isCriticizerError } from '../../../foundation/errors.js';
import type { Settlement, SettlementEffects } from '../../../stores/job-store.js';
import {
  claimed,
  claimedRow,
  jobNow,
  leaseMs,
  newArtifact,
  newOutboxRow,
  one,
  rolledBack,
  running,
  sampleDeadLetter,
  sampleFailure,
  sentRow,
  settled,
} from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';

const isNotPending = (error: unknown): boolean =>
  isCriticizerError(error) && error.code === 'ARTIFACT_NOT_PENDING' && error.category === 'conflict';
const change = { changelistId: 'p4main/1001', reviewVersion: 2 };

function together<Tx>(it: ContractCase<Tx>): void {
  it('NOT-3: every kind of settlement commits its outputs, artifacts and mail rows with it', async ({ stores }) => {
    const kinds: ((lease: Settlement['lease'], effects: SettlementEffects) => Settlement)[] = [
      (lease, effects) => ({ lease, effects, kind: 'advance', stage: 'llm', leaseMs }),
      (lease, effects) => ({ lease, effects, kind: 'checkpoint', leaseMs }),
      (lease, effects) => ({ lease, effects, kind: 'done', result: {}, requireNotified: false }),
      (lease, effects) => ({ lease, effects, kind: 'retry', delayMs: 0, failure: sampleFailure() }),
      (lease, effects) => ({ lease, effects, kind: 'wait', delayMs: 0, reason: 'r' }),
      (lease, effects) => ({ lease, effects, kind: 'release' }),
      (lease, effects) => ({ lease, effects, kind: 'dead-letter', deadLetter: sampleDeadLetter() }),
      (lease, effects) => ({ lease, effects, kind: 'fail', failure: sampleFailure() }),
    ];
    for (const [n, settlement] of kinds.entries()) {
      const { job, lease } = await running(stores, { kind: `kind-${n}` });
      const artifact = newArtifact({ jobId: job.id });
      await stores.artifactManifest.reserve([artifact]);
      const row = newOutboxRow({ changelistId: `p4main/${n}`, jobId: job.id });
      await settled(
        stores,
        settlement(lease, { outputs: { made: artifact.id }, publish: [artifact.id], outbox: [row] }),
      );
      assert.deepEqual((await jobNow(stores, job.id)).outputs, { made: artifact.id });
      assert.equal(one(await stores.artifactManifest.get([artifact.id]))?.status, 'live');
      assert.equal(one(await stores.outbox.list({ jobId: job.id })).key, row.key);
    }
  });

  it('INV-3: nothing of a settlement remains when its lease is lost, not even the effects', async ({
    stores,
    clock,
  }) => {
    const { job, lease } = await running(stores);
    const artifact = newArtifact({ jobId: job.id });
    await stores.artifactManifest.reserve([artifact]);
    await clock.advance(leaseMs);
    await claimed(stores);
    const current = await jobNow(stores, job.id);
    const effects = {
      outputs: { made: artifact.id },
      publish: [artifact.id],
      outbox: [newOutboxRow({ jobId: job.id })],
    };
    for (const kind of ['advance', 'done', 'dead-letter'] as const) {
      const settlement: Settlement =
        kind === 'advance'
          ? { lease, effects, kind, stage: 'llm', leaseMs }
          : kind === 'done'
            ? { lease, effects, kind, result: {}, requireNotified: false }
            : { lease, effects, kind, deadLetter: sampleDeadLetter() };
      assert.deepEqual(await stores.jobs.settle([settlement]), ['lease-lost']);
    }
    assert.deepEqual(await jobNow(stores, job.id), current);
    assert.equal(one(await stores.artifactManifest.get([artifact.id]))?.status, 'pending');
    assert.deepEqual(await stores.outbox.list({}), []);
    assert.deepEqual(await stores.deadLetters.list({}), []);
  });

  it('NOT-3: a mail row that exists by its key is left as it is', async ({ stores }) => {
    await sentRow(stores, change);
    const before = one(await stores.outbox.list({}));
    const { lease, job } = await running(stores);
    const row = newOutboxRow({ ...change, jobId: job.id, messageArtifactId: randomUUID() });
    await settled(stores, { lease, kind: 'checkpoint', leaseMs, effects: { outbox: [row, row] } });
    assert.deepEqual(one(await stores.outbox.list({})), before);
  });

  it('AUD-2: effects roll back with the caller’s transaction', async ({ stores }) => {
    const { job, lease } = await running(stores);
    const artifact = newArtifact({ jobId: job.id });
    await stores.artifactManifest.reserve([artifact]);
    const effects = {
      outputs: { made: artifact.id },
      publish: [artifact.id],
      outbox: [newOutboxRow({ jobId: job.id })],
    };
    await rolledBack(stores, async (tx) => {
      assert.deepEqual(await stores.jobs.settle([{ lease, effects, kind: 'checkpoint', leaseMs }], { tx }), [
        'settled',
      ]);
    });
    assert.deepEqual(await jobNow(stores, job.id), job);
    assert.equal(one(await stores.artifactManifest.get([artifact.id]))?.status, 'pending');
    assert.deepEqual(await stores.outbox.list({}), []);
  });

  it('ART-7: what a sweeper has taken cannot be published: the call fails and nothing of it remains', async ({
    stores,
    clock,
  }) => {
    const { job, lease } = await running(stores);
    const [artifact, other] = [newArtifact({ jobId: job.id }), newArtifact({ jobId: job.id })];
    await stores.artifactManifest.reserve([artifact]);
    await clock.advance(10_000);
    await stores.artifactManifest.reserve([other]);
    const sweep = { owner: 'sweeper', token: randomUUID(), leaseMs, limit: 10, orphanMs: 5000 };
    assert.equal(one(await stores.artifactManifest.claimExpired(sweep)).id, artifact.id);
    const settlement: Settlement = {
      lease,
      kind: 'checkpoint',
      leaseMs,
      effects: { publish: [other.id, artifact.id], outputs: { made: artifact.id } },
    };
    await assert.rejects(stores.jobs.settle([settlement]), isNotPending);
    assert.deepEqual(await jobNow(stores, job.id), job);
    assert.equal(one(await stores.artifactManifest.get([other.id]))?.status, 'pending');
    await stores.artifactManifest.markDeleted([artifact.id], sweep);
    await assert.rejects(stores.jobs.settle([settlement]), isNotPending);
  });

  it('ART-7: a settlement publishes neither an unknown artifact nor another job’s', async ({ stores }) => {
    const { job, lease } = await running(stores);
    const others = newArtifact({ jobId: randomUUID() });
    await stores.artifactManifest.reserve([others]);
    for (const id of [others.id, randomUUID()]) {
      const effects = { publish: [id], outputs: { made: id } };
      await assert.rejects(
        stores.jobs.settle([{ lease, kind: 'advance', stage: 'llm', leaseMs, effects }]),
        isNotPending,
      );
    }
    assert.deepEqual(await jobNow(stores, job.id), job);
    assert.equal(one(await stores.artifactManifest.get([others.id]))?.status, 'pending');
  });

  it('ART-7: publishing twice is harmless', async ({ stores }) => {
    const { job, lease } = await running(stores);
    const artifact = newArtifact({ jobId: job.id });
    await stores.artifactManifest.reserve([artifact]);
    for (let n = 0; n < 2; n++)
      await settled(stores, { lease, kind: 'checkpoint', leaseMs, effects: { publish: [artifact.id] } });
    assert.equal(one(await stores.artifactManifest.get([artifact.id]))?.status, 'live');
  });
}

function notified<Tx>(it: ContractCase<Tx>): void {
  const done = { kind: 'done', result: { findings: 1 }, requireNotified: true } as const;

  it('NOT-10: done is refused while a required row lacks notifiedAt, and the job keeps its lease', async ({
    stores,
  }) => {
    const { job, lease } = await running(stores, change);
    await stores.outbox.add([newOutboxRow({ ...change, jobId: job.id })]);
    const before = await jobNow(stores, job.id);
    assert.deepEqual(await stores.jobs.settle([{ lease, ...done, effects: { outputs: { r: 'a-1' } } }]), [
      'not-all-notified',
    ]);
    assert.deepEqual(await jobNow(stores, job.id), before);
    assert.deepEqual(await stores.jobs.heartbeat([lease], leaseMs), ['renewed']);
    const [required] = await stores.outbox.list({ jobId: job.id });
    const row = await claimedRow(stores, { ids: [required?.id ?? ''] });
    assert.deepEqual(await stores.jobs.settle([{ lease, ...done }]), ['not-all-notified']);
    await stores.outbox.settle([
      { lease: row.lease, kind: 'sent', notificationId: 'n-1', provider: 'smtp', recovered: false },
    ]);
    assert.deepEqual(await stores.jobs.settle([{ lease, ...done }]), ['settled']);
    assert.equal((await jobNow(stores, job.id)).status, 'completed');
  });

  it('NOT-10: a required row added by the very settlement counts, and is not stored when it is refused', async ({
    stores,
  }) => {
    const { lease } = await running(stores, change);
    const effects = { outbox: [newOutboxRow(change)] };
    assert.deepEqual(await stores.jobs.settle([{ lease, ...done, effects }]), ['not-all-notified']);
    assert.deepEqual(await stores.outbox.list({}), []);
  });

  it('NOT-10: rows held, failed or due again refuse too', async ({ stores }) => {
    const { lease } = await running(stores, change);
    const failure = { scope: 'recipient', code: 'SMTP_550', category: 'not_found', message: 'no such user' } as const;
    await stores.outbox.add([newOutboxRow(change)]);
    const row = await claimedRow(stores);
    await stores.outbox.settle([{ lease: row.lease, kind: 'unknown', failure }]);
    assert.deepEqual(await stores.jobs.settle([{ lease, ...done }]), ['not-all-notified']);
  });

  it('NOT-10: optional rows, other changes and other versions do not matter', async ({ stores }) => {
    const { lease } = await running(stores, change);
    await stores.outbox.add([
      newOutboxRow({ ...change, required: false }),
      newOutboxRow({ ...change, reviewVersion: 1 }),
      newOutboxRow({ ...change, changelistId: 'p4main/1002' }),
    ]);
    assert.deepEqual(await stores.jobs.settle([{ lease, ...done }]), ['settled']);
  });

  it('NOT-10: in a mixture only the job that lacks a mail is refused', async ({ stores }) => {
    const first = await running(stores, change);
    const second = await running(stores, { changelistId: 'p4main/1003', reviewVersion: 1 });
    await stores.outbox.add([newOutboxRow({ ...change, jobId: first.job.id })]);
    assert.deepEqual(
      await stores.jobs.settle([
        { lease: first.lease, ...done },
        { lease: second.lease, ...done },
      ]),
      ['not-all-notified', 'settled'],
    );
  });

  it('INT-3: a job without required rows completes, with a change or without', async ({ stores }) => {
    const first = await running(stores, change);
    assert.deepEqual(await stores.jobs.settle([{ lease: first.lease, ...done }]), ['settled']);
    const second = await running(stores);
    assert.deepEqual(await stores.jobs.settle([{ lease: second.lease, ...done }]), ['settled']);
  });

  it('NOT-10: without requireNotified the rows are not looked at', async ({ stores }) => {
    const { lease } = await running(stores, change);
    await stores.outbox.add([newOutboxRow(change)]);
    assert.deepEqual(await stores.jobs.settle([{ lease, ...done, requireNotified: false }]), ['settled']);
  });
}

/** What commits together with a settlement, or not at all. */
export function effectCases<Tx>(it: ContractCase<Tx>): void {
  together(it);
  notified(it);
}
