// #region queue
import { randomUUID } from 'node:crypto';
import type { Stores } from '@criticizer/core';

/** Claims one job of the kind, does it, and settles it. Gives what became of it, or null where nothing is due. */
export async function workOnce<Tx>(stores: Stores<Tx>, owner: string, send: (to: string) => Promise<void>): Promise<string | null> {
  const leaseMs = 30_000;
  const [claimed] = await stores.jobs.claim({ kinds: ['invoice'], owner, token: randomUUID(), leaseMs, limit: 1 });
  if (claimed === undefined) return null;
  const { job, lease } = claimed;
  const beat = setInterval(() => void stores.jobs.heartbeat([lease], leaseMs).catch(() => undefined), leaseMs / 3);
  try {
    await send(String(job.payload));
    const [outcome] = await stores.jobs.settle([{ lease, kind: 'done', result: {}, requireNotified: false }]);
    return outcome ?? null; // 'lease-lost': another worker has the job now, and nothing was written
  } catch {
    const failure = { code: 'INVOICE_NOT_SENT', category: 'upstream', message: 'the invoice service did not answer' } as const;
    const [outcome] = await stores.jobs.settle([{ lease, kind: 'retry', delayMs: 5_000, failure }]);
    return outcome === 'settled' ? 'retrying' : (outcome ?? null);
  } finally {
    clearInterval(beat);
  }
}

/** Stores a job; a second call with the same key stores nothing. */
export async function enqueueInvoice<Tx>(stores: Stores<Tx>, id: string, to: string, tx?: Tx): Promise<string> {
  const job = { kind: 'invoice', payload: to, stage: 'send', idempotencyKey: `invoice:${id}` };
  const [result] = await stores.jobs.enqueue([job], { tx });
  return result?.outcome ?? 'nothing';
}
// #endregion
