import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { dayMs, isNotPending, reserved, sweep } from './artifact-samples.js';
import { leaseMs } from './sample-rows.js';
import type { ContractCase } from './stores-harness.js';

/** The leases of a sweep. */
export function sweepLeaseCases<Tx>(it: ContractCase<Tx>): void {
  it('ART-7: a heartbeat keeps a row with its sweeper, and is refused to every other', async ({ stores, clock }) => {
    const { artifactManifest } = stores;
    const artifact = await reserved(stores, { ttlMs: 1000 });
    await clock.advance(1000);
    const first = sweep();
    await artifactManifest.claimExpired(first);
    const lease = { artifactId: artifact.id, owner: first.owner, token: first.token };
    const strangers = [
      { ...lease, token: randomUUID() },
      { ...lease, owner: 'other' },
      { ...lease, artifactId: randomUUID() },
    ];
    await clock.advance(leaseMs - 1);
    assert.deepEqual(await artifactManifest.heartbeat([...strangers, lease], leaseMs), [
      'lease-lost',
      'lease-lost',
      'lease-lost',
      'renewed',
    ]);
    await clock.advance(leaseMs - 1);
    assert.deepEqual(await artifactManifest.claimExpired(sweep()), []);
    await clock.advance(1);
    assert.deepEqual(await artifactManifest.heartbeat([lease], leaseMs), ['renewed'], 'nobody took it yet');
    await clock.advance(leaseMs / 2);
    for (const stranger of strangers)
      assert.deepEqual(await artifactManifest.heartbeat([stranger], leaseMs), ['lease-lost']);
    await clock.advance(leaseMs / 2);
    const second = sweep();
    assert.equal((await artifactManifest.claimExpired(second)).length, 1);
    assert.deepEqual(await artifactManifest.heartbeat([lease], leaseMs), ['lease-lost']);
    assert.equal(await artifactManifest.markDeleted([artifact.id], second), 1);
    assert.deepEqual(await artifactManifest.heartbeat([{ ...lease, ...second }], leaseMs), ['lease-lost']);
    await assert.rejects(artifactManifest.heartbeat([lease], 0), TypeError);
  });

  it('ART-7: what a sweeper has claimed is never published again, its lease over or not', async ({ stores, clock }) => {
    const { artifactManifest } = stores;
    const orphan = await reserved(stores);
    const live = await reserved(stores, { ttlMs: dayMs });
    await artifactManifest.publish([live.id]);
    await clock.advance(dayMs);
    assert.equal((await artifactManifest.claimExpired(sweep({ orphanMs: 1000 }))).length, 2);
    await clock.advance(leaseMs);
    for (const { id } of [orphan, live]) await assert.rejects(artifactManifest.publish([id]), isNotPending);
  });
}
