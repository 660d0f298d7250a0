import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { KeyProvider } from '../../artifacts/key-provider.js';
import { isCriticizerError } from '../../foundation/errors.js';
import { contractCases } from '../support/contract-cases.js';
import type { Runner } from '../support/runner.js';

/** Makes a key provider for each case, with verbs that rotate and forget its keys. */
export interface KeyProviderHarness {
  /** `rotate` makes a new current key and keeps the one before; `forget` drops the one before. */
  create(): Promise<{ keys: KeyProvider; rotate(): Promise<void>; forget(): Promise<void>; dispose(): Promise<void> }>;
}

/** What every KeyProvider must do (ART-2, SEC-5). */
export function describeKeyProviderContract(runner: Runner, harness: KeyProviderHarness): void {
  const context = { artifactId: 'a1', namespace: 'raw' };
  const it = contractCases(runner, harness);
  const rejectsWith = (code: string) => (error: unknown) => isCriticizerError(error) && error.code === code;

  runner.describe('KeyProvider contract', () => {
    it('ART-2: unwraps what it wrapped, and the wrapped form does not hold the key', async ({ keys }) => {
      const dataKey = randomBytes(32);
      const { wrapped, kekId } = await keys.wrap(dataKey, context);
      assert.ok(!Buffer.from(wrapped).includes(dataKey));
      assert.deepEqual(Buffer.from(await keys.unwrap(wrapped, kekId, context)), dataKey);
    });

    it('never wraps twice to the same bytes', async ({ keys }) => {
      const dataKey = randomBytes(32);
      const [one, two] = [await keys.wrap(dataKey, context), await keys.wrap(dataKey, context)];
      assert.notDeepEqual(Buffer.from(one.wrapped), Buffer.from(two.wrapped));
    });

    it('refuses another artifact, another namespace and any changed byte with KEY_REJECTED', async ({ keys }) => {
      const { wrapped, kekId } = await keys.wrap(randomBytes(32), context);
      await assert.rejects(keys.unwrap(wrapped, kekId, { ...context, artifactId: 'a2' }), rejectsWith('KEY_REJECTED'));
      await assert.rejects(
        keys.unwrap(wrapped, kekId, { ...context, namespace: 'redacted' }),
        rejectsWith('KEY_REJECTED'),
      );
      for (let at = 0; at < wrapped.length; at += 7) {
        const changed = Uint8Array.from(wrapped);
        changed[at] = (changed[at] ?? 0) ^ 1;
        await assert.rejects(keys.unwrap(changed, kekId, context), rejectsWith('KEY_REJECTED'));
      }
      await assert.rejects(keys.unwrap(wrapped.subarray(0, 8), kekId, context), rejectsWith('KEY_REJECTED'));
    });

    it('SEC-5: opens old keys after a rotation, wraps under the new one, and says KEY_UNKNOWN once the old one is gone', async ({
      keys,
      rotate,
      forget,
    }) => {
      const dataKey = randomBytes(32);
      const old = await keys.wrap(dataKey, context);
      await rotate();
      assert.deepEqual(Buffer.from(await keys.unwrap(old.wrapped, old.kekId, context)), dataKey);
      assert.notEqual((await keys.wrap(dataKey, context)).kekId, old.kekId);
      await forget();
      await assert.rejects(keys.unwrap(old.wrapped, old.kekId, context), rejectsWith('KEY_UNKNOWN'));
    });
  });
}
