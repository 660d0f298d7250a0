// #region test
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createMemoryStores, silentLogger } from '@criticizer/core/queue';
import { createManualClock } from '@criticizer/core/testing';
import { createRedactor } from '@criticizer/redact';
import { it } from 'vitest'; // Jest and node:test have the same function
import { createInvoiceKind, createInvoiceWorker, enqueueInvoice } from './queue-alone.js';

it('sends the invoice again when the mail server is back', async () => {
  const clock = createManualClock();
  const stores = createMemoryStores({ clock });
  let isOut = true;
  const worker = createInvoiceWorker(
    stores,
    createInvoiceKind(async () => !isOut),
    { clock, redactor: createRedactor({ fingerprintKey: randomBytes(32) }), logger: silentLogger },
  );
  await enqueueInvoice(stores, '2026-11', 'ann@studio.example');

  const [first] = (await worker.runDue({ until: 'idle' })).jobs;
  assert.deepEqual([first?.stage, first?.outcome, first?.code], ['send', 'retry', 'INVOICE_NOT_SENT']);

  isOut = false;
  await clock.advance(10 * 60_000); // past every back-off of a first retry
  const [second] = (await worker.runDue({ until: 'idle' })).jobs;
  assert.equal(second?.outcome, 'done');
  await worker.stop();
});
// #endregion
