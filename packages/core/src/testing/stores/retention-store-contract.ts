import assert from 'node:assert/strict';
import type { RetainedTable, RetentionRequest } from '../../stores/retention-store.js';
import type { Stores } from '../../stores/stores.js';
import { contractCases } from '../support/contract-cases.js';
import type { Runner } from '../support/runner.js';
import { dayMs, reserved, sweep } from './artifact-samples.js';
import {
  newEgressRecord,
  newOutboxRow,
  newSuppression,
  one,
  person,
  running,
  sampleDeadLetter,
  sentRow,
  settled,
} from './sample-rows.js';
import type { ContractCase, StoresHarness } from './stores-harness.js';

const held = 'p4main/1';
const free = 'p4main/2';

/** Adds one row of a kind, of a change where it belongs to one. */
type Add = <Tx>(stores: Stores<Tx>, changelistId: string, n: number) => Promise<void>;

async function addDone<Tx>(stores: Stores<Tx>, changelistId: string): Promise<string> {
  const { job, lease } = await running(stores, { changelistId });
  await settled(stores, { lease, kind: 'done', result: {}, requireNotified: false });
  return job.id;
}

/** A closed letter; its job stays. */
async function addLetter<Tx>(stores: Stores<Tx>, changelistId: string): Promise<void> {
  const { job, lease } = await running(stores, { changelistId });
  await settled(stores, { lease, kind: 'dead-letter', deadLetter: sampleDeadLetter() });
  const letter = one(await stores.deadLetters.list({ jobId: job.id }));
  await stores.deadLetters.close(letter.id, { status: 'ignored', actor: person('ada'), note: 'n' });
}

const adds: Readonly<Record<RetainedTable, { add: Add; isOfChange: boolean; prefix?: string }>> = {
  jobs: { add: async (stores, changelistId) => void (await addDone(stores, changelistId)), isOfChange: true },
  mails: {
    add: async (stores, changelistId, n) => void (await sentRow(stores, { changelistId, reviewVersion: n })),
    isOfChange: true,
  },
  dead_letters: { add: addLetter, isOfChange: true },
  egress_log: {
    add: async ({ egress }, changelistId) => egress.append([newEgressRecord({ changelistId })]),
    isOfChange: true,
  },
  samples: {
    add: async ({ samples }, _, n) =>
      samples.add([{ name: 's', variant: `v${n}`, counts: { a: 1 } }], { bucketMs: 1000 }),
    isOfChange: false,
  },
  documents: {
    add: async ({ documents }, _, n) => void (await documents.write(`llm.${n}`, 0, null)),
    isOfChange: false,
    prefix: 'llm.',
  },
  cursors: { add: async ({ cursors }, _, n) => void (await cursors.advance(`c${n}`, null, '1')), isOfChange: false },
  suppressions: {
    async add({ suppressions }, changelistId, n) {
      const scope = { kind: 'finding', changelistId, findingId: `f${n}`, coversSecret: false } as const;
      await suppressions.add(newSuppression({ scope, expiresInMs: 1 }));
    },
    isOfChange: true,
  },
  artifact_rows: {
    async add(stores, changelistId) {
      const { id } = await reserved(stores, { changelistId });
      await stores.artifactManifest.expire([id]);
      const claim = sweep();
      await stores.artifactManifest.claimExpired(claim);
      await stores.artifactManifest.markDeleted([id], claim);
      await stores.artifactManifest.verified([id]);
    },
    isOfChange: true,
  },
};

function ageCases<Tx>(it: ContractCase<Tx>): void {
  for (const [table, { add, isOfChange, prefix }] of Object.entries(adds) as [
    RetainedTable,
    (typeof adds)[RetainedTable],
  ][]) {
    it(`OPS-4: ${table} past their age go page by page, younger and held ones stay, and none is left`, async ({
      stores,
      clock,
    }) => {
      const age: RetentionRequest = { olderThanMs: 10 * dayMs, ...(prefix === undefined ? {} : { prefix }) };
      for (let n = 1; n <= 4; n++) await add(stores, n === 1 ? held : free, n);
      await clock.advance(1);
      await stores.changes.setHold(held, true);
      await clock.advance(10 * dayMs - 1);
      assert.equal(await stores.retention.countExpired(table, age), 0);
      assert.equal(await stores.retention.prune(table, { ...age, limit: 10 }), 0);
      await clock.advance(1000);
      await add(stores, free, 5);
      const expected = isOfChange ? 3 : 4;
      assert.equal(await stores.retention.countExpired(table, age), expected);
      assert.equal(await stores.retention.prune(table, { ...age, limit: 2 }), 2);
      assert.equal(await stores.retention.countExpired(table, age), expected - 2);
      assert.equal(await stores.retention.prune(table, { ...age, limit: 10 }), expected - 2);
      assert.equal(await stores.retention.countExpired(table, age), 0);
      assert.equal(await stores.retention.prune(table, { ...age, limit: 10 }), 0);
      if (!isOfChange) return;
      await stores.changes.setHold(held, false);
      assert.equal(await stores.retention.prune(table, { ...age, limit: 10 }), 1);
    });
  }
}

function keptCases<Tx>(it: ContractCase<Tx>): void {
  it('OPS-4: mails that wait, that have a job or an open letter, and open letters stay', async ({ stores, clock }) => {
    const job = await running(stores, { changelistId: free });
    await settled(stores, { lease: job.lease, kind: 'dead-letter', deadLetter: sampleDeadLetter() });
    await sentRow(stores, { changelistId: free, jobId: job.job.id });
    await stores.outbox.add([newOutboxRow({ changelistId: free, reviewVersion: 2 })]);
    await clock.advance(30 * dayMs);
    const age = { olderThanMs: dayMs };
    for (const table of ['mails', 'dead_letters'] as const) {
      assert.equal(await stores.retention.countExpired(table, age), 0, table);
      assert.equal(await stores.retention.prune(table, { ...age, limit: 10 }), 0, table);
    }
  });

  it('OPS-4: documents of another name stay, and a request that is none is a TypeError', async ({ stores, clock }) => {
    await stores.documents.write('egress.kill-switch', 0, null);
    await stores.documents.write('llm.x', 0, null);
    await clock.advance(dayMs);
    const age = { olderThanMs: 1000, prefix: 'llm.' };
    assert.equal(await stores.retention.prune('documents', { ...age, limit: 10 }), 1);
    assert.equal((await stores.documents.read('egress.kill-switch')).version, 1);
    const wrong = { olderThanMs: 1000, limit: 10 };
    await assert.rejects(stores.retention.prune('documents', wrong), TypeError);
    await assert.rejects(stores.retention.prune('mails', { ...wrong, prefix: 'x' }), TypeError);
    await assert.rejects(stores.retention.prune('mails', { ...wrong, limit: 0 }), TypeError);
    await assert.rejects(stores.retention.prune('audit' as RetainedTable, wrong), TypeError);
  });
}

/** What every `RetentionStore` must do (OPS-4, rulings R18 and R24). */
export function describeRetentionStoreContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('RetentionStore contract', () => {
    const it = contractCases(runner, harness);
    ageCases(it);
    keptCases(it);
  });
}
