import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { MessageVault } from '../../../outbox/frozen/frozen-mail.js';
import { contractCases } from '../../support/contract-cases.js';
import type { Runner } from '../../support/runner.js';

/** A vault and the transactions that it follows. */
export interface MessageVaultUnderTest<Tx> {
  vault: MessageVault<Tx>;
  /**
   * Runs `work` in one transaction; commits when it resolves, rolls back and rejects with its
   * reason when it rejects.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  dispose(): Promise<void>;
}

/** Makes an empty vault for each case. */
export interface MessageVaultHarness<Tx> {
  /** A fresh, empty vault for each test. */
  create(): Promise<MessageVaultUnderTest<Tx>>;
}

const about = { changelistId: 'mail:contract', jobId: null };
const message = (): Uint8Array => Uint8Array.from(randomBytes(1_000));

async function assertHolds(vault: MessageVault<never>, id: string, bytes: Uint8Array): Promise<void> {
  const loaded = await vault.load(id);
  assert.ok(loaded !== null, 'expected the vault to load what was saved');
  assert.ok(Buffer.from(loaded).equals(Buffer.from(bytes)), 'expected the bytes that were saved');
}

/** What every `MessageVault` must do: whole mails, and none that a rollback took back (NOT-3, EGR-5). */
export function describeMessageVaultContract<Tx>(runner: Runner, harness: MessageVaultHarness<Tx>): void {
  const it = contractCases(runner, harness);

  runner.describe('MessageVault contract', () => {
    it('NOT-5: loads the bytes that were saved, each under its own id', async ({ vault }) => {
      const [first, second] = [message(), message()];
      const ids = [await vault.save(first, about), await vault.save(second, { ...about, jobId: 'job-1' })];
      assert.equal(new Set(ids).size, 2);
      await assertHolds(vault, ids[0] ?? '', first);
      await assertHolds(vault, ids[1] ?? '', second);
    });
    it('EGR-5: gives null for an id that it never gave', async ({ vault }) => {
      await vault.save(message(), about);
      assert.equal(await vault.load('00000000-0000-4000-8000-000000000000'), null);
    });
    it('NOT-3: keeps what was saved in a transaction that commits', async ({ vault, transaction }) => {
      const bytes = message();
      await assertHolds(vault, await transaction((tx) => vault.save(bytes, about, { tx })), bytes);
    });
    it('NOT-3: keeps nothing of a transaction that rolls back', async ({ vault, transaction }) => {
      let id = '';
      const reason = new Error('rolled back');
      const work = transaction(async (tx) => {
        id = await vault.save(message(), about, { tx });
        throw reason;
      });
      await assert.rejects(work, (error) => error === reason || (error as Error).cause === reason);
      assert.equal(await vault.load(id), null, 'expected no mail after the rollback of the transaction that saved it');
    });
    it('EGR-5: a discard takes that mail alone', async ({ vault }) => {
      if (vault.discard === undefined) return;
      const kept = message();
      const ids = [await vault.save(message(), about), await vault.save(kept, about)];
      await vault.discard(ids[0] ?? '');
      await assertHolds(vault, ids[1] ?? '', kept);
    });
  });
}
