import assert from 'node:assert/strict';
import { contractCases } from '../../support/contract-cases.js';
import type { Runner } from '../../support/runner.js';
import { rolledBack } from '../sample-rows.js';
import type { StoresHarness } from '../stores-harness.js';

/** What every `LimitStore` must do (WQ-10); how the limit binds claims is in the job store's suite. */
export function describeLimitStoreContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('LimitStore contract', () => {
    const it = contractCases(runner, harness);

    it('WQ-10: a limit is absent until set, and null removes it', async ({ stores }) => {
      assert.equal(await stores.limits.get('running'), null);
      await stores.limits.set('running', 7);
      assert.deepEqual([await stores.limits.get('running'), await stores.limits.get('other')], [7, null]);
      await stores.limits.set('running', 3);
      assert.equal(await stores.limits.get('running'), 3);
      await stores.limits.set('running', null);
      assert.equal(await stores.limits.get('running'), null);
      await stores.limits.set('running', null);
    });

    it('WQ-10: agree records the first number and refuses another', async ({ stores }) => {
      assert.deepEqual(await stores.limits.agree('running', 4), { outcome: 'recorded' });
      assert.deepEqual(await stores.limits.agree('running', 4), { outcome: 'agreed' });
      assert.deepEqual(await stores.limits.agree('running', 5), { outcome: 'disagrees', value: 4 });
      assert.equal(await stores.limits.get('running'), 4);
    });

    it('WQ-10: of processes that start at once with two numbers one number stands', async ({ stores }) => {
      const values = Array.from({ length: 20 }, (_, n) => 4 + (n % 2));
      const answers = await Promise.all(values.map((value) => stores.limits.agree('running', value)));
      const stands = await stores.limits.get('running');
      assert.equal(answers.filter(({ outcome }) => outcome === 'recorded').length, 1);
      for (const [n, answer] of answers.entries()) assert.equal(answer.outcome === 'disagrees', values[n] !== stands);
    });

    it('OPS-1: set with an expected value compares, and of twenty at once one wins', async ({ stores }) => {
      const { limits } = stores;
      assert.equal(await limits.set('running', 5, { expected: 4 }), 'conflict');
      assert.equal(await limits.set('running', null, { expected: 4 }), 'conflict');
      assert.equal(await limits.get('running'), null);
      assert.equal(await limits.set('running', 4, { expected: null }), 'set');
      assert.equal(await limits.set('running', 5, { expected: null }), 'conflict');
      assert.equal(await limits.set('running', null, { expected: null }), 'conflict');
      assert.equal(await limits.set('running', null, { expected: 5 }), 'conflict');
      assert.equal(await limits.get('running'), 4);
      const rivals = Array.from({ length: 20 }, (_, n) => 10 + n);
      const answers = await Promise.all(rivals.map((value) => limits.set('running', value, { expected: 4 })));
      assert.equal(answers.filter((answer) => answer === 'set').length, 1);
      assert.equal(await limits.get('running'), rivals[answers.indexOf('set')]);
      const stands = await limits.get('running');
      assert.equal(await limits.set('running', null, { expected: stands }), 'set');
      assert.equal(await limits.set('running', null, { expected: null }), 'set');
      await assert.rejects(limits.set('running', 1, { expected: -1 }), TypeError);
      assert.equal(await limits.get('running'), null);
    });

    it('WQ-10: set rolls back with the caller’s transaction; a malformed limit is a TypeError', async ({ stores }) => {
      await stores.limits.set('running', 2);
      await rolledBack(stores, async (tx) => void (await stores.limits.set('running', 9, { tx })));
      assert.equal(await stores.limits.get('running'), 2);
      for (const value of [-1, 1.5, Number.NaN]) await assert.rejects(stores.limits.set('running', value), TypeError);
      await assert.rejects(stores.limits.agree('running', -1), TypeError);
      assert.equal(await stores.limits.get('running'), 2);
    });
  });
}
