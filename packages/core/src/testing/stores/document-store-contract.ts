import assert from 'node:assert/strict';
import type { JsonValue } from '../../foundation/json.js';
import { contractCases } from '../support/contract-cases.js';
import type { Runner } from '../support/runner.js';
import { rolledBack } from './sample-rows.js';
import type { StoresHarness } from './stores-harness.js';

/** A value that a caller without types passes. */
const untyped = (value: unknown): JsonValue => value as JsonValue;

/** What every `DocumentStore` must do (PR-4, EGR-4). */
export function describeDocumentStoreContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('DocumentStore contract', () => {
    const it = contractCases(runner, harness);

    it('PR-4: a document never written has version 0 and value null', async ({ stores }) => {
      const empty = { name: 'prompt', version: 0, value: null, updatedAt: null };
      assert.deepEqual(await stores.documents.read('prompt'), empty);
    });

    it('PR-4: a write takes where the version is as expected, and is one higher', async ({ stores }) => {
      const { documents } = stores;
      const slices = { candidate: '1.2', percent: 5, list: [1, null, 'ü'] };
      assert.deepEqual(await documents.write('prompt', 1, {}), { outcome: 'conflict', version: 0 });
      assert.deepEqual(await documents.write('prompt', 0, slices), { outcome: 'written', version: 1 });
      const stored = { name: 'prompt', version: 1, value: slices, updatedAt: await stores.now() };
      assert.deepEqual(await documents.read('prompt'), stored);
      assert.deepEqual(await documents.write('prompt', 0, {}), { outcome: 'conflict', version: 1 });
      assert.deepEqual(await documents.write('prompt', 1, null), { outcome: 'written', version: 2 });
      const { version, value } = await documents.read('prompt');
      assert.deepEqual([version, value], [2, null]);
      assert.equal((await documents.read('other')).version, 0);
    });

    it('EGR-4: of twenty concurrent writes on one version one wins', async ({ stores }) => {
      for (const version of [0, 1]) {
        const writes = Array.from({ length: 20 }, (_, n) => stores.documents.write('kill-switch', version, n));
        const outcomes = (await Promise.all(writes)).map(({ outcome }) => outcome);
        assert.equal(outcomes.filter((outcome) => outcome === 'written').length, 1);
        const stored = await stores.documents.read('kill-switch');
        assert.deepEqual([stored.version, stored.value], [version + 1, outcomes.indexOf('written')]);
      }
    });

    it('PR-4: a write commits and rolls back with the caller’s transaction', async ({ stores }) => {
      await rolledBack(stores, async (tx) => {
        assert.deepEqual(await stores.documents.write('prompt', 0, 'x', { tx }), { outcome: 'written', version: 1 });
      });
      assert.equal((await stores.documents.read('prompt')).version, 0);
      await stores.transaction((tx) => stores.documents.write('prompt', 0, 'y', { tx }));
      assert.equal((await stores.documents.read('prompt')).value, 'y');
    });

    it('PR-4: a name, a version or a value that is none is a TypeError, and nothing is written', async ({ stores }) => {
      const { documents } = stores;
      for (const name of ['', 'n'.repeat(129)]) await assert.rejects(documents.write(name, 0, 'x'), TypeError);
      for (const version of [-1, 0.5, Number.NaN]) await assert.rejects(documents.write('d', version, 'x'), TypeError);
      for (const value of [undefined, Number.NaN, new Date(0)])
        await assert.rejects(documents.write('d', 0, untyped(value)), TypeError);
      assert.equal((await documents.read('d')).version, 0);
      assert.deepEqual(await documents.write('n'.repeat(128), 0, 'x'), { outcome: 'written', version: 1 });
    });
  });
}
