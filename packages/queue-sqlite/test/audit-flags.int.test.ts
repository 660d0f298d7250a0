import { setImmediate as nextTurn } from 'node:timers/promises';
import { auditFlagNames, createAuditFlags, createStoredFlags } from '@criticizer/core/audit';
import { describe, expect, it } from 'vitest';
import { freshStores } from './stores-on-sqlite.js';

describe('flags of the audit in a transaction on a file', () => {
  it('AUD-17: an evaluation in the host’s transaction does not wait for one outside, which waits for the transaction', async () => {
    const { stores, dispose } = await freshStores('file');
    await stores.documents.write('audit.flags', 0, { [auditFlagNames.write]: { percentage: 100 } });
    const flags = createAuditFlags({
      provider: createStoredFlags({ documents: stores.documents, cacheMs: 0 }),
      defaults: { write: false, worker: false },
      deadlineMs: 5_000,
    });
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const outside = begun.then(() => flags.isWorkerEnabled('acme'));
    await stores.transaction(async () => {
      begin();
      await nextTurn();
      expect(await flags.isWriteEnabled('acme')).toBe(true);
    });
    expect(await outside).toBe(false);
    await dispose();
  });
});
