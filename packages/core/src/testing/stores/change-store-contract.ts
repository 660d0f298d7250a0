import assert from 'node:assert/strict';
import type { ArtifactRow } from '../../stores/artifact-manifest.js';
import type { Stores } from '../../stores/stores.js';
import { contractCases } from '../support/contract-cases.js';
import type { Runner } from '../support/runner.js';
import { dayMs, reserved, sweep } from './artifact-samples.js';
import {
  claimed,
  claimedRow,
  enqueued,
  jobNow,
  leaseMs,
  newEgressRecord,
  newJob,
  newOutboxRow,
  one,
  person,
  rolledBack,
  running,
  sampleDeadLetter,
  settled,
} from './sample-rows.js';
import type { ContractCase, StoresHarness } from './stores-harness.js';

const change = 'p4main/7';
const other = 'p4main/70';
const none = { isHeld: false, purgingSince: null };

/** A change with something in every table, besides a neighbour that has the same. */
async function addAll<Tx>(stores: Stores<Tx>, changelistId: string): Promise<void> {
  const dead = await running(stores, { changelistId, reviewVersion: 1 });
  await settled(stores, { lease: dead.lease, kind: 'dead-letter', deadLetter: sampleDeadLetter() });
  await enqueued(stores, { changelistId, reviewVersion: 2, kind: 'later' });
  await stores.outbox.add([newOutboxRow({ changelistId, jobId: dead.job.id })]);
  await stores.egress.append([newEgressRecord({ changelistId, jobId: dead.job.id, paths: ['//depot/secret.ts'] })]);
  await reserved(stores, { changelistId, ttlMs: dayMs });
}

async function deleted<Tx>({ artifactManifest }: Stores<Tx>, changelistId: string): Promise<readonly ArtifactRow[]> {
  const claim = sweep({ changelistId });
  const rows = await artifactManifest.claimExpired(claim);
  const ids = rows.map(({ id }) => id);
  await artifactManifest.markDeleted(ids, claim);
  await artifactManifest.verified(ids);
  return rows;
}

const counts = async <Tx>(stores: Stores<Tx>, changelistId: string): Promise<number[]> => [
  (await stores.jobs.list({ changelistId })).length,
  (await stores.deadLetters.list({ changelistId })).length,
  (await stores.outbox.list({ changelistId })).length,
  (await stores.artifactManifest.list({ changelistId })).length,
];

// long: one case after the other
function purgeCases<Tx>(it: ContractCase<Tx>): void {
  it('EGR-5: a purge leaves no row of its change but emptied egress records, and touches no other', async ({
    stores,
  }) => {
    await addAll(stores, change);
    await addAll(stores, other);
    assert.deepEqual(await stores.changes.purgeRows(change), {
      ...{ outcome: 'not-purging', running: 0, sending: 0, artifacts: 0 },
    });
    assert.deepEqual(await counts(stores, change), [2, 1, 1, 1]);
    assert.equal(await stores.changes.beginPurge(change), 'begun');
    assert.equal(await stores.changes.beginPurge(change), 'already-begun');
    assert.deepEqual((await stores.changes.get(change)).purgingSince, await stores.now());
    const waiting = { outcome: 'waiting', running: 0, sending: 0, artifacts: 1 };
    assert.deepEqual(await stores.changes.purgeRows(change), waiting);
    assert.deepEqual(await counts(stores, change), [0, 0, 0, 1]);
    assert.deepEqual(await stores.changes.purgeRows(change), waiting); // a step twice is a step once
    assert.equal((await deleted(stores, change)).length, 1);
    assert.deepEqual(await stores.changes.purgeRows(change), { ...waiting, outcome: 'done', artifacts: 0 });
    const record = one(await stores.egress.list({ changelistId: change }));
    const kept = one(await stores.egress.list({ changelistId: other }));
    assert.deepEqual([record.paths, kept.paths], [[], ['//depot/secret.ts']]);
    assert.deepEqual({ ...record, paths: kept.paths, changelistId: other, id: kept.id, jobId: kept.jobId }, kept);
    assert.deepEqual(await counts(stores, other), [2, 1, 1, 1]);
    assert.deepEqual(await stores.changes.get(change), { changelistId: change, ...none });
    await enqueued(stores, { changelistId: change, reviewVersion: 1 }); // as a change that was never seen
  });

  it('EGR-5: a purge waits for running jobs, which their owners or their expiry end, and for mails under way', async ({
    stores,
    clock,
  }) => {
    const own = await running(stores, { changelistId: change, reviewVersion: 1 });
    await stores.outbox.add([newOutboxRow({ changelistId: change })]);
    const mail = await claimedRow(stores);
    await stores.changes.beginPurge(change);
    const waiting = { outcome: 'waiting', running: 1, sending: 1, artifacts: 0 };
    assert.deepEqual(await stores.changes.purgeRows(change), waiting);
    assert.deepEqual(await stores.jobs.heartbeat([own.lease], leaseMs), ['cancel-requested']);
    assert.notEqual((await jobNow(stores, own.job.id)).cancelReason, null);
    await settled(stores, { lease: own.lease, kind: 'release' });
    assert.deepEqual(await stores.changes.purgeRows(change), { ...waiting, running: 0 });
    assert.equal((await stores.jobs.list({ changelistId: change })).length, 0);
    await clock.advance(leaseMs);
    assert.equal(await stores.outbox.requeueExpired(), 1);
    assert.deepEqual(await stores.changes.purgeRows(change), { ...waiting, outcome: 'done', running: 0, sending: 0 });
    const late = { lease: mail.lease, kind: 'sent', notificationId: 'n', provider: 'smtp', recovered: false } as const;
    assert.deepEqual(await stores.outbox.settle([late]), ['lease-lost']);
  });

  it('EGR-5: a change that is being purged takes no job, and those of other changes come', async ({ stores }) => {
    await stores.changes.beginPurge(change);
    const jobs = [newJob({ changelistId: other, reviewVersion: 1 }), newJob({ changelistId: change })];
    await assert.rejects(stores.jobs.enqueue(jobs), { code: 'CHANGE_PURGING' });
    await assert.rejects(stores.jobs.enqueue([newJob({ changelistId: change, reviewVersion: 3 })]), {
      code: 'CHANGE_PURGING',
    });
    assert.deepEqual(await stores.jobs.list({}), []);
    await enqueued(stores, { changelistId: other, reviewVersion: 1 });
    await enqueued(stores);
  });

  it('EGR-5: of an enqueue and a purge at once the row is refused or removed', async ({ stores }) => {
    const calls = Array.from({ length: 6 }, (_, n) => newJob({ changelistId: change, reviewVersion: n + 1 }));
    await Promise.allSettled([
      ...calls.slice(0, 3).map((job) => stores.jobs.enqueue([job])),
      stores.changes.beginPurge(change),
      ...calls.slice(3).map((job) => stores.jobs.enqueue([job])),
    ]);
    assert.equal((await stores.changes.purgeRows(change)).outcome, 'done');
    assert.deepEqual(await stores.jobs.list({ changelistId: change }), []);
  });

  it('EGR-5: a purge in a transaction that rolls back is none', async ({ stores }) => {
    await rolledBack(stores, async (tx) => {
      assert.equal(await stores.changes.beginPurge(change, { tx }), 'begun');
      assert.equal(await stores.changes.setHold(other, true, { tx }), 'set');
    });
    assert.deepEqual(await stores.changes.list({}), []);
  });
}

function holdCases<Tx>(it: ContractCase<Tx>): void {
  it('EGR-5: a hold refuses a purge and ends one that is under way', async ({ stores }) => {
    assert.equal(await stores.changes.beginPurge(change), 'begun');
    assert.equal(await stores.changes.setHold(change, true), 'set');
    assert.equal(await stores.changes.setHold(change, true), 'unchanged');
    assert.deepEqual(await stores.changes.get(change), { changelistId: change, isHeld: true, purgingSince: null });
    assert.equal(await stores.changes.beginPurge(change), 'held');
    assert.equal((await stores.changes.purgeRows(change)).outcome, 'not-purging');
    await enqueued(stores, { changelistId: change, reviewVersion: 1 });
    assert.equal(await stores.changes.setHold(change, false), 'set');
    assert.equal(await stores.changes.setHold(change, false), 'unchanged');
    assert.equal((await stores.changes.purgeRows(change)).outcome, 'not-purging'); // it must be asked for again
  });

  it('EGR-5 ART-1: no age removes what is held: jobs, artifacts, and they stay readable', async ({ stores, clock }) => {
    const done = await running(stores, { changelistId: change, reviewVersion: 1 });
    await settled(stores, { lease: done.lease, kind: 'done', result: {}, requireNotified: false });
    const artifact = await reserved(stores, { changelistId: change, ttlMs: 1000 });
    const neighbour = await reserved(stores, { changelistId: other, ttlMs: 1000 });
    await stores.changes.setHold(change, true);
    await clock.advance(30 * dayMs);
    assert.equal(await stores.jobs.prune({ olderThanMs: 1000 }), 0);
    const swept = await stores.artifactManifest.claimExpired(sweep({ orphanMs: 1000 }));
    assert.deepEqual(
      swept.map(({ id }) => id),
      [neighbour.id],
    );
    assert.deepEqual(await stores.artifactManifest.claimExpired(sweep({ changelistId: change })), []);
    const [held, free] = await stores.artifactManifest.get([artifact.id, neighbour.id]);
    assert.deepEqual([held?.isExpired, free?.isExpired], [false, true]);
    assert.equal(one(await stores.artifactManifest.list({ changelistId: change })).isExpired, false);
    assert.equal((await stores.artifactManifest.countExpired()).raw, neighbour.namespace === 'raw' ? 1 : 0);
    await stores.changes.setHold(change, false);
    assert.equal(one(await stores.artifactManifest.claimExpired(sweep())).id, artifact.id);
    assert.equal(await stores.jobs.prune({ olderThanMs: 1000 }), 1);
  });

  it('EGR-5 ART-7: a hold takes the lease of a sweep that has claimed already, and nobody else’s', async ({
    stores,
    clock,
  }) => {
    const artifact = await reserved(stores, { changelistId: change, ttlMs: 1000 });
    const neighbour = await reserved(stores, { changelistId: other, ttlMs: 1000 });
    await clock.advance(1000);
    const claim = sweep();
    assert.equal((await stores.artifactManifest.claimExpired(claim)).length, 2);
    const leases = [artifact, neighbour].map(({ id }) => ({ artifactId: id, owner: claim.owner, token: claim.token }));
    await stores.changes.setHold(change, true);
    assert.deepEqual(await stores.artifactManifest.heartbeat(leases, leaseMs), ['lease-lost', 'renewed']);
    assert.equal(one(await stores.artifactManifest.get([artifact.id]))?.isExpired, false);
    await stores.changes.setHold(change, false);
    await clock.advance(leaseMs);
    assert.equal((await stores.artifactManifest.claimExpired(sweep())).length, 2);
  });

  it('EGR-5: marks are listed in the order of their ids, by kind, page by page', async ({ stores }) => {
    for (const id of ['p4main/9', 'Other/1', 'p4main/10']) await stores.changes.setHold(id, true);
    await stores.changes.beginPurge('p4main/11');
    const ids = async (filter: Parameters<typeof stores.changes.list>[0]) =>
      (await stores.changes.list(filter)).map(({ changelistId }) => changelistId);
    assert.deepEqual(await ids({}), ['Other/1', 'p4main/10', 'p4main/11', 'p4main/9']);
    assert.deepEqual(await ids({ kind: 'held', limit: 2 }), ['Other/1', 'p4main/10']);
    assert.deepEqual(await ids({ kind: 'held', after: 'p4main/10' }), ['p4main/9']);
    assert.deepEqual(await ids({ kind: 'purging' }), ['p4main/11']);
    await assert.rejects(stores.changes.list({ limit: 1001 }), TypeError);
    await assert.rejects(stores.changes.setHold('', true), TypeError);
  });

  it('EGR-5: a letter whose replay runs goes with its purged change, and the run ends without another', async ({
    stores,
  }) => {
    const dead = await running(stores, { changelistId: change, reviewVersion: 1 });
    await settled(stores, { lease: dead.lease, kind: 'dead-letter', deadLetter: sampleDeadLetter() });
    const letter = one(await stores.deadLetters.list({}));
    const request = { deadLetterId: letter.id, stage: 'fetch', fromStart: false, evidence: 'e', actor: person('ada') };
    await stores.deadLetters.replay(request);
    const again = await claimed(stores);
    await stores.changes.beginPurge(change);
    await stores.changes.purgeRows(change);
    await settled(stores, { lease: again.lease, kind: 'dead-letter', deadLetter: sampleDeadLetter() });
    assert.equal((await stores.changes.purgeRows(change)).outcome, 'done');
    assert.deepEqual(await stores.deadLetters.list({}), []);
  });
}

/** What every `ChangeStore` must do (EGR-5, ruling R24), and what holds and purges ask of the other facets. */
export function describeChangeStoreContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('ChangeStore contract', () => {
    const it = contractCases(runner, harness);
    purgeCases(it);
    holdCases(it);
  });
}
