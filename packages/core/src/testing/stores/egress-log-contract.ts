import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { contractCases } from '../support/contract-cases.js';
import type { Runner } from '../support/runner.js';
import { newEgressRecord, one, rolledBack } from './sample-rows.js';
import type { StoresHarness } from './stores-harness.js';

/** What every `EgressLog` must do (EGR-1). */
export function describeEgressLogContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('EgressLog contract', () => {
    const it = contractCases(runner, harness);

    it('EGR-1: a record is kept whole, with the store’s instant', async ({ stores }) => {
      const record = newEgressRecord({
        paths: ['//depot/ü/😀.ts', '//depot/b'],
        redactions: { 'pem.block': 2, 'aws.key': 1 },
        promptVersion: '3.7.12',
        schemaVersion: '2.0',
      });
      await stores.egress.append([record]);
      assert.deepEqual(one(await stores.egress.list({})), { ...record, recordedAt: await stores.now() });
    });

    it('EGR-1: the record of a mail is kept whole, without what only a model has', async ({ stores }) => {
      const nothing = { model: null, promptVersion: null, schemaVersion: null, rulesVersion: null, policyHash: null };
      const mail = newEgressRecord({
        ...nothing,
        destination: 'mail',
        content: 'findings',
        messageKey: 'a'.repeat(32),
        jobId: null,
        provider: 'smtp',
        paths: [],
        redactions: {},
      });
      await stores.egress.append([newEgressRecord(), mail]);
      const [kept, ...others] = await stores.egress.list({ destination: 'mail' });
      assert.deepEqual(kept, { ...mail, recordedAt: await stores.now() });
      assert.deepEqual(others, []);
      assert.equal((await stores.egress.list({ destination: 'pager' })).length, 0);
    });

    it('EGR-1: a record is never overwritten, and a call with a known id appends nothing', async ({ stores }) => {
      const first = newEgressRecord();
      await stores.egress.append([first]);
      await assert.rejects(
        stores.egress.append([
          newEgressRecord(),
          { ...newEgressRecord(), id: first.id, host: 'other.example.com:443' },
        ]),
      );
      assert.equal(one(await stores.egress.list({})).host, first.host);
    });

    it('EGR-1: append commits and rolls back with the caller’s transaction', async ({ stores }) => {
      await rolledBack(stores, (tx) => stores.egress.append([newEgressRecord()], { tx }));
      assert.deepEqual(await stores.egress.list({}), []);
      await stores.transaction((tx) => stores.egress.append([newEgressRecord()], { tx }));
      assert.equal((await stores.egress.list({})).length, 1);
    });

    it('EGR-1: list filters by change and job, newest first, 100 by default', async ({ stores, clock }) => {
      const jobId = randomUUID();
      const ids: string[] = [];
      for (const over of [{ jobId }, { changelistId: 'p4main/1002' }, { changelistId: 'p4main/1002', jobId }]) {
        const record = newEgressRecord(over);
        await stores.egress.append([record]);
        ids.unshift(record.id);
        await clock.advance(1000);
      }
      const listed = async (filter: Parameters<typeof stores.egress.list>[0]): Promise<string[]> =>
        (await stores.egress.list(filter)).map(({ id }) => id);
      assert.deepEqual(await listed({}), ids);
      assert.deepEqual(await listed({ limit: 1 }), ids.slice(0, 1));
      assert.deepEqual(await listed({ jobId }), [ids[0], ids[2]]);
      assert.deepEqual(await listed({ changelistId: 'p4main/1002' }), [ids[0], ids[1]]);
      assert.deepEqual(await listed({ changelistId: 'p4main/1002', jobId }), [ids[0]]);
      await assert.rejects(stores.egress.list({ limit: 1001 }), TypeError);
      await stores.egress.append(Array.from({ length: 101 }, () => newEgressRecord()));
      assert.equal((await stores.egress.list({})).length, 100);
    });

    it('EGR-1: of 1,500 records the newest is read first, and the oldest on the second page', async ({ stores }) => {
      const records = Array.from({ length: 1500 }, () => newEgressRecord());
      await stores.egress.append(records);
      const ids = records.map(({ id }) => id).reverse();
      assert.equal(one(await stores.egress.list({ limit: 1 })).id, ids[0]);
      const first = await stores.egress.list({ limit: 1000 });
      const second = await stores.egress.list({ limit: 1000, before: first.at(-1)?.id });
      assert.deepEqual(
        [...first, ...second].map(({ id }) => id),
        ids,
      );
    });

    it('EGR-1: a malformed record is a TypeError', async ({ stores }) => {
      for (const over of [
        { id: '' },
        { bytes: -1 },
        { bodySha256: 'short' },
        { host: '' },
        { promptVersion: '' },
        { schemaVersion: '' },
        { model: null },
        { jobId: null },
        { destination: 'elsewhere' as 'llm' },
        { content: 'everything' as 'code' },
      ]) {
        await assert.rejects(stores.egress.append([newEgressRecord(), { ...newEgressRecord(), ...over }]), TypeError);
      }
      assert.deepEqual(await stores.egress.list({}), []);
    });
  });
}
