import assert from 'node:assert/strict';
import { contractCases } from '../support/contract-cases.js';
import type { Runner } from '../support/runner.js';
import { describeArtifactManifestContract } from './artifact-manifest-contract.js';
import { describeAuditStoreContract } from './audit/audit-store-contract.js';
import { describeChangeStoreContract } from './change-store-contract.js';
import { describeCursorStoreContract } from './cursor-store-contract.js';
import { describeDocumentStoreContract } from './document-store-contract.js';
import { describeEgressLogContract } from './egress-log-contract.js';
import { describeDeadLetterStoreContract } from './jobs/dead-letter-store-contract.js';
import { describeJobStoreContract } from './jobs/job-store-contract.js';
import { describeLimitStoreContract } from './jobs/limit-store-contract.js';
import { describeListsContract } from './lists-contract.js';
import { describeModelBudgetContract } from './model-budget-contract.js';
import { describeModelPaceContract } from './model-pace-contract.js';
import { describeOperatorContract } from './operate/operator-contract.js';
import { describeChannelPostsContract } from './outbox/channel-posts-contract.js';
import { describeMessageStoreContract } from './outbox/message-store-contract.js';
import { describeNotifyOutboxContract } from './outbox/notify-outbox-contract.js';
import { describePreferenceStoreContract } from './outbox/preference-store-contract.js';
import { describeRetentionStoreContract } from './retention-store-contract.js';
import { newAuditEvent, newJob, newOutboxRow, one, rolledBack } from './sample-rows.js';
import { describeSampleStoreContract } from './sample-store-contract.js';
import type { StoresHarness } from './stores-harness.js';
import { optionCases } from './stores-options.js';
import { describeSuppressionStoreContract } from './suppression-store-contract.js';

/** What `Stores` itself promises, over its facets. */
export function describeStoresOwnContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('Stores contract', () => {
    const it = contractCases(runner, harness);
    optionCases(it);

    it('AUD-2: all facets carry one storeId', async ({ stores }) => {
      const { jobs, deadLetters, changes, outbox, messages, preferences, audit, auditSeals, artifactManifest } = stores;
      const { egress, cursors, documents, samples, suppressions, limits, retention } = stores;
      const written = [jobs, deadLetters, changes, outbox, messages, preferences, audit, auditSeals, artifactManifest];
      const facets = [...written, egress, cursors, documents, samples, suppressions, limits, retention];
      assert.notEqual(stores.storeId, '');
      for (const facet of facets) assert.equal(facet.storeId, stores.storeId);
    });

    it('AUD-2: writes of several facets commit together or not at all', async ({ stores }) => {
      const event = newAuditEvent();
      const work = async (tx: Tx): Promise<string> => {
        const { job } = one(await stores.jobs.enqueue([newJob()], { tx }));
        await stores.outbox.add([newOutboxRow({ jobId: job.id })], { tx });
        await stores.audit.record(event, ['siem'], { tx });
        await stores.cursors.advance('c', null, '1', { tx });
        return job.id;
      };
      const read = async (): Promise<unknown[]> => [
        (await stores.jobs.list({})).length,
        (await stores.outbox.list({})).length,
        (await stores.audit.list({})).length,
        await stores.cursors.get('c'),
      ];
      await rolledBack(stores, async (tx) => {
        await work(tx);
      });
      assert.deepEqual(await read(), [0, 0, 0, null]);
      const id = await stores.transaction(work);
      assert.deepEqual(await read(), [1, 1, 1, '1']);
      assert.equal(one(await stores.jobs.list({})).id, id);
    });

    it('AUD-2: transactions that run at once keep each its own writes', async ({ stores }) => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 10 }, (_, n) =>
          stores.transaction(async (tx) => {
            await stores.jobs.enqueue([newJob({ idempotencyKey: `k-${n}` })], { tx });
            if (n % 2 === 1) throw new Error('planned');
            return n;
          }),
        ),
      );
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 5);
      const keys = (await stores.jobs.list({})).map(({ idempotencyKey }) => idempotencyKey).sort();
      assert.deepEqual(keys, ['k-0', 'k-2', 'k-4', 'k-6', 'k-8']);
    });

    it('INV-6: now is the store’s clock, the same that stamps rows', async ({ stores, clock }) => {
      const before = await stores.now();
      await clock.advance(12_345);
      const after = await stores.now();
      assert.equal(after.getTime() - before.getTime(), 12_345);
      assert.deepEqual(one(await stores.jobs.enqueue([newJob()])).job.createdAt, after);
    });

    it('AUD-1: a migrated store has no step left, and migrate may run again, many at once', async ({ stores }) => {
      assert.deepEqual(await stores.migrationPlan(), []);
      assert.deepEqual(await Promise.all([stores.migrate(), stores.migrate(), stores.migrate()]), [[], [], []]);
    });

    it('WQ-1: close may be called twice', async ({ stores }) => {
      await stores.close();
      await stores.close();
    });
  });
}

/** Every suite of a store in one call. */
export function describeStoresContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  describeStoresOwnContract(runner, harness);
  describeJobStoreContract(runner, harness);
  describeDeadLetterStoreContract(runner, harness);
  describeChangeStoreContract(runner, harness);
  describeRetentionStoreContract(runner, harness);
  describeNotifyOutboxContract(runner, harness);
  describeChannelPostsContract(runner, harness);
  describeMessageStoreContract(runner, harness);
  describePreferenceStoreContract(runner, harness);
  describeArtifactManifestContract(runner, harness);
  describeAuditStoreContract(runner, harness);
  describeEgressLogContract(runner, harness);
  describeCursorStoreContract(runner, harness);
  describeDocumentStoreContract(runner, harness);
  describeSampleStoreContract(runner, harness);
  describeSuppressionStoreContract(runner, harness);
  describeLimitStoreContract(runner, harness);
  describeModelBudgetContract(runner, harness);
  describeModelPaceContract(runner, harness);
  describeListsContract(runner, harness);
  describeOperatorContract(runner, harness);
}
