import assert from 'node:assert/strict';
import type { ChangeSummary } from '../../changes/change.js';
import type { RecipientResolver } from '../../stages/recipient-resolver.js';
import type { Runner } from '../support/runner.js';

/** What every RecipientResolver must do. */
export function describeRecipientResolverContract(
  { describe, it }: Runner,
  harness: { create(): Promise<RecipientResolver>; change: ChangeSummary },
): void {
  describe('RecipientResolver contract', () => {
    it('gives addresses one mail each can be sent to', async () => {
      const resolver = await harness.create();
      for (const recipient of await resolver.resolve(harness.change, { signal: new AbortController().signal })) {
        assert.match(recipient.address, /^[^\s,@<>"]+@[^\s,@<>"]+$/);
        assert.equal(typeof recipient.required, 'boolean');
      }
    });
    it('answers the same for the same change, and its answer may be changed without harm', async () => {
      const resolver = await harness.create();
      const ask = () => resolver.resolve(harness.change, { signal: new AbortController().signal });
      const first = structuredClone(await ask());
      for (const recipient of await ask()) recipient.address = 'changed@example.test';
      assert.deepEqual(await ask(), first);
    });
  });
}
