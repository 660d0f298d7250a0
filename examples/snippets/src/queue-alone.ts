// #region queue
import {
  type Clock,
  CriticizerError,
  createQueueWorker,
  type JobKind,
  type Logger,
  type QueueWorker,
  type Stores,
} from '@criticizer/core/queue';
import type { Redactor } from '@criticizer/redact';
import { z } from 'zod';

const payload = z.strictObject({ to: z.email() });

/**
 * One kind of job with one stage: what throws is classified, retried with back-off, and
 * dead-lettered when nothing helps.
 */
export function createInvoiceKind(
  send: (to: string, signal: AbortSignal) => Promise<boolean>,
): JobKind<z.infer<typeof payload>> {
  return {
    kind: 'invoice',
    payload,
    stages: [
      {
        name: 'send',
        async run({ payload: { to }, signal }) {
          if (!(await send(to, signal)))
            throw new CriticizerError('INVOICE_NOT_SENT', 'no answer', { category: 'upstream' });
          return { kind: 'done', result: { sent: true } };
        },
      },
    ],
  };
}

/**
 * A worker for it; any number of processes may run one on the same database. Messages of errors are
 * stored and logged without the secrets that `redactor` finds. Tests give it a clock.
 */
export function createInvoiceWorker<Tx>(
  stores: Stores<Tx>,
  kind: JobKind<unknown>,
  { redactor, ...more }: { redactor: Redactor; logger: Logger; clock?: Clock },
): QueueWorker {
  const redactText = (text: string): string => redactor.session().redact(text).text;
  return createQueueWorker({ stores, kinds: [kind], redactText, ...more });
}

/** Stores a job; a second call with the same key stores nothing. */
export async function enqueueInvoice<Tx>(stores: Stores<Tx>, id: string, to: string, tx?: Tx): Promise<string> {
  const job = { kind: 'invoice', payload: { to }, stage: 'send', idempotencyKey: `invoice:${id}` };
  const [result] = await stores.jobs.enqueue([job], { tx });
  return result?.outcome ?? 'nothing';
}
// #endregion
