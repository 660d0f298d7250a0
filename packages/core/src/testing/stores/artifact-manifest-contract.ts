import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ArtifactRow } from '../../stores/artifact-manifest.js';
import type { Stores } from '../../stores/stores.js';
import { contractCases } from '../support/contract-cases.js';
import type { Runner } from '../support/runner.js';
import { sweepLeaseCases } from './artifact-manifest-leases.js';
import { strayCases } from './artifact-manifest-strays.js';
import { dayMs, isNotPending, reserved, sweep } from './artifact-samples.js';
import { leaseMs, newArtifact, one, rolledBack } from './sample-rows.js';
import type { ContractCase, StoresHarness } from './stores-harness.js';

async function rowNow<Tx>(stores: Stores<Tx>, id: string): Promise<ArtifactRow> {
  const row = one(await stores.artifactManifest.get([id]));
  assert.notEqual(row, null);
  return row as ArtifactRow;
}

function lifecycle<Tx>(it: ContractCase<Tx>): void {
  it('ART-1: reserve writes a pending row that expires by the store’s clock', async ({ stores }) => {
    const now = await stores.now();
    const raw = newArtifact({ namespace: 'raw', purpose: 'change', redaction: null, ttlMs: 7 * dayMs, bytes: 2 ** 33 });
    const redacted = newArtifact({ jobId: randomUUID(), changelistId: null });
    const reserved = await stores.artifactManifest.reserve([raw, redacted]);
    assert.deepEqual(
      reserved.map(({ id }) => id),
      [raw.id, redacted.id],
    );
    assert.deepEqual(reserved[0], await rowNow(stores, raw.id));
    const { ttlMs, ...kept } = raw;
    assert.deepEqual(reserved[0], {
      ...kept,
      status: 'pending',
      createdAt: now,
      expiresAt: new Date(now.getTime() + ttlMs),
      deletedAt: null,
      deletionVerifiedAt: null,
      isExpired: false,
    });
    const unknown = randomUUID();
    const rows = await stores.artifactManifest.get([redacted.id, unknown, raw.id]);
    assert.deepEqual(
      rows.map((row) => row?.id),
      [redacted.id, undefined, raw.id],
    );
  });

  it('ART-1: an id is reserved once, and a failed call reserves nothing', async ({ stores }) => {
    const first = await reserved(stores);
    const other = newArtifact();
    await assert.rejects(stores.artifactManifest.reserve([other, { ...newArtifact(), id: first.id }]));
    assert.deepEqual(await stores.artifactManifest.get([other.id]), [null]);
    assert.equal((await rowNow(stores, first.id)).storageKey, first.storageKey);
  });

  it('ART-1: a malformed artifact is a TypeError', async ({ stores }) => {
    for (const over of [
      { ttlMs: 0 },
      { ttlMs: Number.NaN },
      { id: '' },
      { bytes: -1 },
      { digest: 'x' },
      { wrappedKey: '' },
    ]) {
      await assert.rejects(stores.artifactManifest.reserve([{ ...newArtifact(), ...over }]), TypeError);
    }
    assert.deepEqual(await stores.artifactManifest.list({ changelistId: 'p4main/1001' }), []);
  });

  it('ART-1: publish makes pending rows live, twice is harmless, unknown ones are a conflict', async ({ stores }) => {
    const { id } = await reserved(stores);
    await stores.artifactManifest.publish([id]);
    await stores.artifactManifest.publish([id]);
    assert.equal((await rowNow(stores, id)).status, 'live');
    const pending = await reserved(stores);
    await assert.rejects(stores.artifactManifest.publish([pending.id, randomUUID()]), isNotPending);
    assert.equal((await rowNow(stores, pending.id)).status, 'pending');
  });

  it('ART-1: reserve, publish and expire roll back with the caller’s transaction', async ({ stores }) => {
    const artifact = await reserved(stores);
    const other = newArtifact();
    await rolledBack(stores, async (tx) => {
      await stores.artifactManifest.reserve([other], { tx });
      await stores.artifactManifest.publish([artifact.id, other.id], { tx });
      assert.equal(await stores.artifactManifest.expire([artifact.id], { tx }), 1);
    });
    assert.deepEqual(await stores.artifactManifest.get([other.id]), [null]);
    const row = await rowNow(stores, artifact.id);
    assert.deepEqual([row.status, row.expiresAt.getTime() - row.createdAt.getTime()], ['pending', artifact.ttlMs]);
  });

  it('EGR-5: list gives every row of the change that is not deleted', async ({ stores }) => {
    const pending = await reserved(stores);
    const live = await reserved(stores, { namespace: 'raw' });
    await reserved(stores, { changelistId: 'p4main/1002' });
    const gone = await reserved(stores);
    await stores.artifactManifest.publish([live.id]);
    await stores.artifactManifest.expire([gone.id]);
    const fence = sweep();
    await stores.artifactManifest.claimExpired(fence);
    assert.equal(await stores.artifactManifest.markDeleted([gone.id], fence), 1);
    const rows = await stores.artifactManifest.list({ changelistId: 'p4main/1001' });
    assert.deepEqual(rows.map(({ id }) => id).sort(), [pending.id, live.id].sort());
  });
}

function sweeps<Tx>(it: ContractCase<Tx>): void {
  it('ART-1: a row says whether it is past its expiry, from its instant on and before any sweep', async ({
    stores,
    clock,
  }) => {
    const short = newArtifact({ ttlMs: 1_000, changelistId: 'main/7' });
    await stores.artifactManifest.reserve([short]);
    const readings = async (): Promise<boolean[]> => [
      (await rowNow(stores, short.id)).isExpired,
      one(await stores.artifactManifest.list({ changelistId: 'main/7' })).isExpired,
    ];
    await clock.advance(999);
    assert.deepEqual(await readings(), [false, false]);
    await clock.advance(1);
    assert.deepEqual(await readings(), [true, true]);
  });

  it('ART-7: deletions that are not proven are listed page by page', async ({ stores, clock }) => {
    const fence = sweep({ limit: 5 });
    await stores.artifactManifest.reserve(Array.from({ length: 5 }, () => newArtifact({ ttlMs: 1 })));
    await clock.advance(1);
    const ids = (await stores.artifactManifest.claimExpired(fence)).map(({ id }) => id);
    await stores.artifactManifest.markDeleted(ids.slice(0, 2), fence);
    await clock.advance(1);
    await stores.artifactManifest.markDeleted(ids.slice(2), fence);
    const listed: string[] = [];
    for (let after: Awaited<ReturnType<typeof rowNow>> | undefined; ; ) {
      const page = await stores.artifactManifest.listUnverified(2, after);
      listed.push(...page.map(({ id }) => id));
      after = page.at(-1);
      if (after === undefined) break;
    }
    assert.deepEqual(listed, [...ids.slice(0, 2).sort(), ...ids.slice(2).sort()]);
  });

  it('ART-7: a sweep takes what expired, from its instant on, and leaves the rest', async ({ stores, clock }) => {
    const short = await reserved(stores, { ttlMs: dayMs });
    const long = await reserved(stores, { ttlMs: 3 * dayMs });
    await stores.artifactManifest.publish([short.id, long.id]);
    await clock.advance(dayMs - 1);
    assert.deepEqual(await stores.artifactManifest.claimExpired(sweep()), []);
    assert.deepEqual(await stores.artifactManifest.countExpired(), { raw: 0, redacted: 0 });
    await clock.advance(1);
    assert.deepEqual(await stores.artifactManifest.countExpired(), { raw: 0, redacted: 1 });
    assert.equal(one(await stores.artifactManifest.claimExpired(sweep())).id, short.id);
    assert.equal((await rowNow(stores, long.id)).status, 'live');
  });

  it('ART-7: a sweep takes pending rows older than orphanMs and no live ones of that age', async ({
    stores,
    clock,
  }) => {
    const orphan = await reserved(stores, { ttlMs: 9 * dayMs });
    const live = await reserved(stores, { ttlMs: 9 * dayMs });
    await stores.artifactManifest.publish([live.id]);
    await clock.advance(dayMs);
    const young = await reserved(stores, { ttlMs: 9 * dayMs });
    await clock.advance(1000);
    assert.deepEqual(await stores.artifactManifest.claimExpired(sweep({ orphanMs: 2 * dayMs })), []);
    assert.equal(one(await stores.artifactManifest.claimExpired(sweep({ orphanMs: dayMs }))).id, orphan.id);
    assert.equal((await rowNow(stores, young.id)).status, 'pending');
  });

  it('ART-7: expired rows go to one sweeper at a time, within its limit', async ({ stores, clock }) => {
    for (let n = 0; n < 12; n++) await reserved(stores, { ttlMs: 1000 });
    await clock.advance(1000);
    assert.equal((await stores.artifactManifest.claimExpired(sweep({ limit: 2 }))).length, 2);
    const taken = (
      await Promise.all(Array.from({ length: 10 }, () => stores.artifactManifest.claimExpired(sweep({ limit: 3 }))))
    ).flat();
    assert.equal(taken.length, 10);
    assert.equal(new Set(taken.map(({ id }) => id)).size, 10);
    assert.deepEqual(await stores.artifactManifest.claimExpired(sweep()), []);
    await clock.advance(leaseMs);
    assert.equal((await stores.artifactManifest.claimExpired(sweep({ limit: 100 }))).length, 12);
    await assert.rejects(stores.artifactManifest.claimExpired(sweep({ limit: 0 })), TypeError);
    await assert.rejects(stores.artifactManifest.claimExpired(sweep({ leaseMs: 0 })), TypeError);
  });

  it('ART-2: markDeleted erases the wrapped key, keeps the row as proof and counts', async ({ stores, clock }) => {
    const artifact = await reserved(stores, { ttlMs: 1000 });
    await clock.advance(1000);
    const fence = sweep();
    await stores.artifactManifest.claimExpired(fence);
    assert.equal(await stores.artifactManifest.markDeleted([artifact.id, randomUUID()], fence), 1);
    const row = await rowNow(stores, artifact.id);
    assert.deepEqual(
      [row.status, row.wrappedKey, row.deletedAt, row.digest],
      ['deleted', '', await stores.now(), artifact.digest],
    );
    assert.deepEqual(await stores.artifactManifest.countExpired(), { raw: 0, redacted: 0 });
    await clock.advance(10 * dayMs);
    assert.deepEqual(await stores.artifactManifest.claimExpired(sweep()), []);
    assert.equal(await stores.artifactManifest.markDeleted([artifact.id], fence), 0);
    await assert.rejects(stores.artifactManifest.publish([artifact.id]), isNotPending);
  });

  it('ART-7: only the sweeper that holds a row marks it', async ({ stores, clock }) => {
    const artifact = await reserved(stores, { ttlMs: 1000 });
    assert.equal(await stores.artifactManifest.markDeleted([artifact.id], sweep()), 0);
    await clock.advance(1000);
    const first = sweep();
    await stores.artifactManifest.claimExpired(first);
    assert.equal(await stores.artifactManifest.markDeleted([artifact.id], { ...first, token: randomUUID() }), 0);
    assert.equal(await stores.artifactManifest.markDeleted([artifact.id], { ...first, owner: 'other' }), 0);
    await clock.advance(leaseMs);
    const second = sweep();
    assert.equal((await stores.artifactManifest.claimExpired(second)).length, 1);
    assert.equal(await stores.artifactManifest.markDeleted([artifact.id], first), 0);
    assert.equal((await rowNow(stores, artifact.id)).wrappedKey, artifact.wrappedKey);
    assert.equal(await stores.artifactManifest.markDeleted([artifact.id], second), 1);
  });

  it('ART-7: an orphan in the hands of a sweeper cannot be published', async ({ stores, clock }) => {
    const orphan = await reserved(stores);
    await clock.advance(dayMs / 2);
    const fence = sweep({ orphanMs: 1000 });
    await stores.artifactManifest.claimExpired(fence);
    await assert.rejects(stores.artifactManifest.publish([orphan.id]), isNotPending);
    assert.equal(await stores.artifactManifest.markDeleted([orphan.id], fence), 1);
  });

  it('EGR-5: expire brings the expiry of any row to now', async ({ stores }) => {
    const [live, pending] = [await reserved(stores), await reserved(stores, { namespace: 'raw' })];
    await stores.artifactManifest.publish([live.id]);
    assert.equal(await stores.artifactManifest.expire([live.id, pending.id, randomUUID()]), 2);
    assert.deepEqual((await rowNow(stores, live.id)).expiresAt, await stores.now());
    assert.deepEqual(await stores.artifactManifest.countExpired(), { raw: 1, redacted: 1 });
    assert.equal((await stores.artifactManifest.claimExpired(sweep())).length, 2);
  });

  it('ART-7: deletions are listed until their proof is recorded, oldest first', async ({ stores, clock }) => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      const { id } = await reserved(stores, { ttlMs: 1000 });
      await clock.advance(1000);
      const fence = sweep();
      await stores.artifactManifest.claimExpired(fence);
      await stores.artifactManifest.markDeleted([id], fence);
      ids.push(id);
    }
    const listed = async (limit: number): Promise<string[]> =>
      (await stores.artifactManifest.listUnverified(limit)).map(({ id }) => id);
    assert.deepEqual(await listed(10), ids);
    assert.deepEqual(await listed(2), ids.slice(0, 2));
    await stores.artifactManifest.verified(ids.slice(0, 2));
    assert.deepEqual(await listed(10), ids.slice(2));
    assert.deepEqual((await rowNow(stores, ids[0] as string)).deletionVerifiedAt, await stores.now());
  });
}

/** What every `ArtifactManifest` must do (ART-1, ART-2, ART-7, EGR-5). */
export function describeArtifactManifestContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('ArtifactManifest contract', () => {
    const it = contractCases(runner, harness);
    lifecycle(it);
    sweeps(it);
    sweepLeaseCases(it);
    strayCases(it);
  });
}
