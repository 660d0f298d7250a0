import assert from 'node:assert/strict';
import type { Stores } from '../../../stores/stores.js';
import { contractCases } from '../../support/contract-cases.js';
import type { Runner } from '../../support/runner.js';
import { claimedRow, newOutboxRow, rolledBack, sentRow } from '../sample-rows.js';
import type { StoresHarness } from '../stores-harness.js';

const about = { changelistId: 'mail:invoice%2F42', jobId: null };
const bytes = Uint8Array.from([0, 10, 13, 39, 92, 127, 128, 255]);

async function isKept<Tx>(stores: Stores<Tx>, ids: readonly string[]): Promise<boolean[]> {
  return Promise.all(ids.map(async (id) => (await stores.messages.load(id)) !== null));
}

/** What every `MessageStore` must do. */
export function describeMessageStoreContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('MessageStore contract', () => {
    const it = contractCases(runner, harness);

    it('NOT-3: gives back exactly the bytes, under an id of their own each time', async ({ stores }) => {
      const ids = [await stores.messages.save(bytes, about), await stores.messages.save(bytes, about)];
      assert.notEqual(ids[0], ids[1]);
      for (const id of ids) assert.deepEqual(Uint8Array.from((await stores.messages.load(id)) ?? []), bytes);
      await stores.messages.discard(String(ids[0]));
      await stores.messages.discard('none');
      assert.deepEqual(await isKept(stores, [...ids, 'none']), [false, true, false]);
      await assert.rejects(stores.messages.save(new Uint8Array(), about), TypeError);
      await assert.rejects(stores.messages.save(bytes, { ...about, changelistId: '' }), TypeError);
    });

    it('NOT-3: bytes commit and roll back with the caller’s transaction', async ({ stores }) => {
      const kept = await stores.messages.save(bytes, about);
      let lost = '';
      await rolledBack(stores, async (tx) => {
        lost = await stores.messages.save(bytes, about, { tx });
        await stores.messages.discard(kept, { tx });
      });
      const committed = await stores.transaction((tx) => stores.messages.save(bytes, about, { tx }));
      assert.deepEqual(await isKept(stores, [lost, kept, committed]), [false, true, true]);
    });

    it('OPS-4: prune removes what is old, and nothing that may still be delivered', async ({ stores, clock }) => {
      const save = () => stores.messages.save(bytes, about);
      const [orphan, sent, pending] = [await save(), await save(), await save()];
      await sentRow(stores, { ...about, messageArtifactId: sent });
      await stores.outbox.add([newOutboxRow({ ...about, reviewVersion: 2, messageArtifactId: pending })]);
      await clock.advance(60_000);
      const young = await save();
      assert.equal(await stores.messages.prune({ olderThanMs: 60_001, limit: 10 }), 0);
      assert.equal(await stores.messages.prune({ olderThanMs: 60_000, limit: 1 }), 1);
      assert.equal(await stores.messages.prune({ olderThanMs: 60_000, limit: 10 }), 1);
      assert.deepEqual(await isKept(stores, [orphan, sent, pending, young]), [false, false, true, true]);
      assert.equal((await claimedRow(stores)).row.messageArtifactId, pending);
      assert.equal(await stores.messages.prune({ olderThanMs: 60_000, limit: 10 }), 0);
      await assert.rejects(stores.messages.prune({ olderThanMs: 0, limit: 0 }), TypeError);
    });

    it('OPS-4: a purge of the scope removes its messages', async ({ stores }) => {
      const id = await stores.messages.save(bytes, about);
      await stores.changes.beginPurge(about.changelistId);
      assert.equal((await stores.changes.purgeRows(about.changelistId)).outcome, 'done');
      assert.deepEqual(await isKept(stores, [id]), [false]);
    });
  });
}
