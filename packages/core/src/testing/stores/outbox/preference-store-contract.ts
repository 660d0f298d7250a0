import assert from 'node:assert/strict';
import type { RecipientPreference } from '../../../stores/preference-store.js';
import { contractCases } from '../../support/contract-cases.js';
import type { Runner } from '../../support/runner.js';
import { nul, one, person, rolledBack } from '../sample-rows.js';
import type { StoresHarness } from '../stores-harness.js';

const off: RecipientPreference = { mails: 'off', linkOnly: false };
const high: RecipientPreference = { mails: 'high', linkOnly: true };

/** What every `PreferenceStore` must do (NOT-10). */
export function describePreferenceStoreContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('PreferenceStore contract', () => {
    const it = contractCases(runner, harness);

    it('NOT-10: keeps the last preference of each person, who set it and when', async ({ stores, clock }) => {
      const { preferences } = stores;
      assert.equal(await preferences.set('ada@example.com', off, person('op')), 'set');
      await clock.advance(1_000);
      assert.equal(await preferences.set('ada@example.com', high, { ...person('ada'), roles: ['x'] }), 'set');
      const updatedAt = await stores.now();
      await clock.advance(1_000);
      assert.equal(await preferences.set('ada@example.com', high, person('eve')), 'unchanged');
      const found = await preferences.find(['ada@example.com', 'Ada@example.com', 'ada@example.com']);
      assert.deepEqual(one(found), { recipientKey: 'ada@example.com', ...high, setBy: person('ada'), updatedAt });
    });

    it('NOT-10: lists by key, in pages and by choice', async ({ stores: { preferences } }) => {
      for (const [key, choice] of [
        ['b@example.com', off],
        ['ä@example.com', off],
        ['B@example.com', high],
        ['a_@example.com', off],
      ] as const)
        await preferences.set(key, choice, person('op'));
      const keys = async (filter: Parameters<typeof preferences.list>[0]): Promise<string[]> =>
        (await preferences.list(filter)).map(({ recipientKey }) => recipientKey);
      assert.deepEqual(await keys({}), ['B@example.com', 'a_@example.com', 'b@example.com', 'ä@example.com']);
      assert.deepEqual(await keys({ mails: 'high' }), ['B@example.com']);
      assert.deepEqual(await keys({ after: 'a_@example.com', limit: 1 }), ['b@example.com']);
      await assert.rejects(preferences.list({ limit: 0 }), TypeError);
    });

    it('NOT-10: a preference commits and rolls back with the caller’s transaction', async ({ stores }) => {
      await rolledBack(stores, async (tx) => {
        assert.equal(await stores.preferences.set('ada@example.com', off, person('op'), { tx }), 'set');
      });
      assert.deepEqual(await stores.preferences.list({}), []);
      await stores.transaction((tx) => stores.preferences.set('ada@example.com', off, person('op'), { tx }));
      assert.equal(one(await stores.preferences.list({})).mails, 'off');
    });

    it('NOT-10: keys and choices that are none are a TypeError', async ({ stores: { preferences } }) => {
      const wrong = { ...off, ...{ mails: 'some' as 'off' } };
      for (const [key, choice] of [
        ['', off],
        [nul, off],
        ['ada@example.com', wrong],
        ['ada@example.com', { ...off, ...{ linkonly: true } }],
      ] as const)
        await assert.rejects(preferences.set(key, choice, person('op')), TypeError);
      await assert.rejects(preferences.find([]), TypeError);
      assert.deepEqual(await preferences.list({}), []);
    });
  });
}
