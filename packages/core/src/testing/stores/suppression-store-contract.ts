import assert from 'node:assert/strict';
import type { Stores } from '../../stores/stores.js';
import type { FindingScope, NewSuppression, RuleScope, Suppression } from '../../stores/suppression-store.js';
import { contractCases } from '../support/contract-cases.js';
import type { Runner } from '../support/runner.js';
import { dayMs } from './artifact-samples.js';
import { halfPair, newSuppression, nul, one, person, rolledBack } from './sample-rows.js';
import type { ContractCase, StoresHarness } from './stores-harness.js';

const change = 'p4main/1001';
const ofFinding = (findingId: string, changelistId = change): FindingScope => ({
  kind: 'finding',
  changelistId,
  findingId,
  coversSecret: false,
});
const rule: RuleScope = {
  kind: 'rule',
  ruleId: 'naming/ü',
  paths: '//depot/gen/...',
  category: 'style',
  severity: 'medium',
  confidence: 'low',
};

async function added<Tx>({ suppressions }: Stores<Tx>, over: Partial<NewSuppression> = {}): Promise<Suppression> {
  const result = await suppressions.add(newSuppression(over));
  assert.equal(result.outcome, 'added');
  return result.suppression as Suppression;
}

const idsOf = (rows: readonly Suppression[]): string[] => rows.map(({ id }) => id);

function lifeCases<Tx>(it: ContractCase<Tx>): void {
  it('GRD-8: a suppression is kept whole, with the store’s instants', async ({ stores }) => {
    const actor = { ...person('ada'), roles: ['lead'] };
    const secret: FindingScope = { ...ofFinding('f1'), coversSecret: true };
    const single = await added(stores, { scope: secret, actor, expiresInMs: null });
    const wide = await added(stores, { scope: rule, disposition: 'wont_fix', actor, expiresInMs: dayMs });
    const createdAt = await stores.now();
    const common = {
      reason: 'Checked by hand: ü.',
      actor: person('ada'),
      createdAt,
      withdrawnAt: null,
      withdrawnBy: null,
    };
    assert.deepEqual(await stores.suppressions.get(single.id), {
      ...{ ...common, id: single.id, scope: secret, disposition: 'false_positive', expiresAt: null },
    });
    const expiresAt = new Date(createdAt.getTime() + dayMs);
    assert.deepEqual(wide, { ...common, id: wide.id, scope: rule, disposition: 'wont_fix', expiresAt });
    assert.deepEqual(await stores.suppressions.get(wide.id), wide);
    assert.equal(await stores.suppressions.get('none'), null);
  });

  it('GRD-8: one that expired or was withdrawn is in force no more, and a withdrawal says who', async ({
    stores,
    clock,
  }) => {
    const brief = await added(stores, { scope: ofFinding('f1'), expiresInMs: 1_000 });
    const endless = await added(stores, { scope: ofFinding('f2'), expiresInMs: null });
    const wide = await added(stores, { scope: rule, expiresInMs: dayMs });
    await added(stores, { scope: ofFinding('f1', 'p4main/1'), expiresInMs: null });
    const inForce = async (): Promise<string[]> => idsOf(await stores.suppressions.listInForce(change));
    assert.deepEqual(await inForce(), [brief.id, endless.id, wide.id]);
    await clock.advance(1_000);
    assert.deepEqual(await inForce(), [endless.id, wide.id]);
    assert.equal(await stores.suppressions.withdraw(brief.id, person('bob')), 'ended');
    assert.equal(await stores.suppressions.withdraw(endless.id, person('bob')), 'withdrawn');
    assert.equal(await stores.suppressions.withdraw(endless.id, person('eve')), 'ended');
    assert.equal(await stores.suppressions.withdraw('none', person('bob')), 'not-found');
    const ended = await stores.suppressions.get(endless.id);
    assert.deepEqual([ended?.withdrawnAt, ended?.withdrawnBy], [await stores.now(), person('bob')]);
    assert.deepEqual(await inForce(), [wide.id]);
    assert.equal((await stores.suppressions.get(brief.id))?.withdrawnAt, null);
  });

  it('GRD-8: of twenty at once for one finding one is added, and an expired one makes room', async ({
    stores,
    clock,
  }) => {
    const add = () => stores.suppressions.add(newSuppression({ scope: ofFinding('f1'), expiresInMs: 1_000 }));
    const results = await Promise.all(Array.from({ length: 20 }, add));
    assert.equal(results.filter(({ outcome }) => outcome === 'added').length, 1);
    assert.equal(new Set(results.map(({ suppression }) => suppression?.id)).size, 1);
    await clock.advance(1_000);
    assert.equal((await add()).outcome, 'added');
    const [second] = await stores.suppressions.listInForce(change);
    assert.equal(await stores.suppressions.withdraw(String(second?.id), person('bob')), 'withdrawn');
    assert.equal((await add()).outcome, 'added');
    const rows = await stores.suppressions.list({ changelistId: change });
    assert.deepEqual(
      rows.map(({ withdrawnBy }) => withdrawnBy),
      [null, person('bob'), null],
    );
  });
}

function listCases<Tx>(it: ContractCase<Tx>): void {
  it('GRD-8: list pages newest first, by change, kind and what is in force', async ({ stores, clock }) => {
    const brief = await added(stores, { scope: ofFinding('f1'), expiresInMs: 1_000 });
    const other = await added(stores, { scope: ofFinding('f1', 'p4main/1') });
    const wide = await added(stores, { scope: rule, expiresInMs: dayMs });
    await clock.advance(1_000);
    const ids = async (filter: Parameters<typeof stores.suppressions.list>[0]): Promise<string[]> =>
      idsOf(await stores.suppressions.list(filter));
    assert.deepEqual(await ids({}), [wide.id, other.id, brief.id]);
    assert.deepEqual(await ids({ limit: 1, before: wide.id }), [other.id]);
    assert.deepEqual(await ids({ changelistId: change }), [brief.id]);
    assert.deepEqual(await ids({ kind: 'rule' }), [wide.id]);
    assert.deepEqual(await ids({ kind: 'finding' }), [other.id, brief.id]);
    assert.deepEqual(await ids({ kind: 'finding', inForce: true }), [other.id]);
  });

  it('GRD-8: additions and withdrawals commit and roll back with the caller’s transaction', async ({ stores }) => {
    const { suppressions } = stores;
    const { id } = await added(stores, { scope: ofFinding('f1') });
    await rolledBack(stores, async (tx) => {
      await suppressions.add(newSuppression({ scope: ofFinding('f2') }), { tx });
      assert.equal(await suppressions.withdraw(id, person('bob'), { tx }), 'withdrawn');
    });
    assert.deepEqual(idsOf(await suppressions.listInForce(change)), [id]);
    await stores.transaction((tx) => suppressions.withdraw(id, person('bob'), { tx }));
    assert.deepEqual(await suppressions.listInForce(change), []);
  });

  it('GRD-8: a rule without condition or expiry and texts that are none are a TypeError', async ({ stores }) => {
    const nothing: RuleScope = {
      ...{ kind: 'rule', ruleId: null, paths: null },
      category: null,
      severity: null,
      confidence: null,
    };
    const wrong: readonly Partial<NewSuppression>[] = [
      { scope: nothing, expiresInMs: dayMs },
      { scope: rule, expiresInMs: null },
      { expiresInMs: 0 },
      { reason: '' },
      { reason: 'r'.repeat(1_001) },
      { reason: nul },
      { scope: ofFinding(halfPair) },
      { disposition: 'other' as NewSuppression['disposition'] },
      { scope: { ...rule, ...{ path: 'x' } }, expiresInMs: dayMs },
    ];
    for (const over of wrong) await assert.rejects(stores.suppressions.add(newSuppression(over)), TypeError);
    assert.deepEqual(await stores.suppressions.list({}), []);
    assert.equal(one([await added(stores)]).scope.kind, 'finding');
  });

  it('GRD-8: a purge removes the suppressions of its change, and no rule', async ({ stores }) => {
    await added(stores, { scope: ofFinding('f1') });
    const other = await added(stores, { scope: ofFinding('f1', 'p4main/1') });
    const wide = await added(stores, { scope: rule, expiresInMs: dayMs });
    await stores.changes.beginPurge(change);
    assert.equal((await stores.changes.purgeRows(change)).outcome, 'done');
    assert.deepEqual(idsOf(await stores.suppressions.list({})), [wide.id, other.id]);
  });
}

/** What every `SuppressionStore` must do (GRD-8). */
export function describeSuppressionStoreContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('SuppressionStore contract', () => {
    const it = contractCases(runner, harness);
    lifeCases(it);
    listCases(it);
  });
}
