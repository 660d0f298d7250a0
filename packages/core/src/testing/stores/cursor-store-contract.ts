import assert from 'node:assert/strict';
import { contractCases } from '../support/contract-cases.js';
import type { Runner } from '../support/runner.js';
import { rolledBack } from './sample-rows.js';
import type { StoresHarness } from './stores-harness.js';

/** What every `CursorStore` must do (INV-1). */
export function describeCursorStoreContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('CursorStore contract', () => {
    const it = contractCases(runner, harness);

    it('INV-1: a cursor moves only from the value expected', async ({ stores }) => {
      assert.equal(await stores.cursors.get('p4main'), null);
      assert.equal(await stores.cursors.advance('p4main', '1', '2'), 'moved');
      assert.equal(await stores.cursors.get('p4main'), null);
      assert.equal(await stores.cursors.advance('p4main', null, '10'), 'advanced');
      assert.equal(await stores.cursors.advance('p4main', null, '11'), 'moved');
      assert.equal(await stores.cursors.advance('p4main', '9', '8'), 'moved');
      assert.equal(await stores.cursors.get('p4main'), '10');
      assert.equal(await stores.cursors.advance('p4main', '10', '11'), 'advanced');
      assert.equal(await stores.cursors.get('p4main'), '11');
      assert.equal(await stores.cursors.get('other'), null);
    });

    it('INV-1: of twenty concurrent moves from one value one wins', async ({ stores }) => {
      for (const expected of [null, 'start']) {
        if (expected !== null) await stores.cursors.advance(expected, null, expected);
        const name = expected ?? 'fresh';
        const moves = Array.from({ length: 20 }, (_, n) => stores.cursors.advance(name, expected, `to-${n}`));
        const outcomes = await Promise.all(moves);
        assert.equal(outcomes.filter((outcome) => outcome === 'advanced').length, 1);
        assert.equal(await stores.cursors.get(name), `to-${outcomes.indexOf('advanced')}`);
      }
    });

    it('INV-1: a move commits and rolls back with the caller’s transaction', async ({ stores }) => {
      await stores.cursors.advance('c', null, '1');
      await rolledBack(stores, async (tx) => {
        assert.equal(await stores.cursors.advance('c', '1', '2', { tx }), 'advanced');
      });
      assert.equal(await stores.cursors.get('c'), '1');
      await stores.transaction((tx) => stores.cursors.advance('c', '1', '2', { tx }));
      assert.equal(await stores.cursors.get('c'), '2');
    });
  });
}
