import assert from 'node:assert/strict';
import { dayMs, reserved, sweep } from './artifact-samples.js';
import { newArtifact, rolledBack } from './sample-rows.js';
import type { ContractCase } from './stores-harness.js';

/** Keys and objects that no row names. */
export function strayCases<Tx>(it: ContractCase<Tx>): void {
  it('ART-7: the tag of its keys is random, well formed and one, inside a transaction too', async ({ stores }) => {
    const tag = await stores.artifactManifest.keyTag();
    assert.match(tag, /^[a-z0-9]{16}$/);
    assert.notEqual(new Set(tag).size, 1);
    assert.equal(await stores.artifactManifest.keyTag(), tag);
    assert.equal(await stores.transaction((tx) => stores.artifactManifest.keyTag({ tx })), tag);
  });

  it('ART-7: findUnknown gives the keys that no row of the namespace names, whatever its status', async ({
    stores,
    clock,
  }) => {
    const pending = await reserved(stores);
    const live = await reserved(stores);
    const deleted = await reserved(stores, { ttlMs: 1000 });
    await stores.artifactManifest.publish([live.id]);
    await clock.advance(1000);
    const fence = sweep();
    await stores.artifactManifest.claimExpired(fence);
    assert.equal(await stores.artifactManifest.markDeleted([deleted.id], fence), 1);
    const foreign = newArtifact().storageKey;
    const writtenAt = await stores.now();
    await clock.advance(2 * dayMs);
    const objects = [pending, live, deleted].map(({ storageKey: key }) => ({ key, writtenAt }));
    const ask = async (namespace: 'raw' | 'redacted'): Promise<readonly string[]> =>
      [
        ...(await stores.artifactManifest.findUnknown(namespace, [...objects, { key: foreign, writtenAt }], dayMs)),
      ].sort();
    assert.deepEqual(await ask('redacted'), [foreign]);
    assert.deepEqual(await ask('raw'), [...objects.map(({ key }) => key), foreign].sort());
    assert.deepEqual(await stores.artifactManifest.findUnknown('raw', [], dayMs), []);
    await assert.rejects(stores.artifactManifest.findUnknown('other' as 'raw', objects, dayMs), TypeError);
    await assert.rejects(stores.artifactManifest.findUnknown('raw', objects, Number.NaN), TypeError);
  });

  it('ART-7: findUnknown gives nothing that is not older than olderThanMs by the store’s clock', async ({
    stores,
    clock,
  }) => {
    const object = { key: newArtifact().storageKey, writtenAt: await stores.now() };
    await clock.advance(dayMs);
    assert.deepEqual(await stores.artifactManifest.findUnknown('raw', [object], dayMs), []);
    await clock.advance(1);
    assert.deepEqual(await stores.artifactManifest.findUnknown('raw', [object], dayMs), [object.key]);
  });

  it('ART-7: a row that was rolled back names no key, one that was committed does, on a page of a thousand', async ({
    stores,
    clock,
  }) => {
    const [lost, kept] = [newArtifact(), newArtifact()];
    await rolledBack(stores, async (tx) => {
      await stores.artifactManifest.reserve([lost], { tx });
    });
    await stores.transaction((tx) => stores.artifactManifest.reserve([kept], { tx }));
    const writtenAt = await stores.now();
    await clock.advance(dayMs);
    const others = Array.from({ length: 998 }, (_, n) => n.toString(36).padStart(64, '0'));
    const keys = [...others, lost.storageKey, kept.storageKey];
    const unknown = await stores.artifactManifest.findUnknown(
      lost.namespace,
      keys.map((key) => ({ key, writtenAt })),
      1000,
    );
    assert.deepEqual([...unknown].sort(), [...others, lost.storageKey].sort());
  });
}
