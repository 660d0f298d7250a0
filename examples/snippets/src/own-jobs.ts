import { once } from 'node:events';
import type { Actor } from '@criticizer/core/ports';
import { createQueueWorker, type JobKind, type Logger, type NewJob, type Stores } from '@criticizer/core/queue';
import type { Redactor } from '@criticizer/redact';

// #region enqueue
/** Each call is one transaction: all of its jobs, or none. Gives how many were new. */
export async function enqueueAll<Tx>(stores: Stores<Tx>, jobs: readonly NewJob[]): Promise<number> {
  let fresh = 0;
  for (let at = 0; at < jobs.length; at += 1_000) {
    const results = await stores.jobs.enqueue(jobs.slice(at, at + 1_000));
    fresh += results.filter(({ outcome }) => outcome === 'enqueued').length;
  }
  return fresh;
}
// #endregion

// #region when
export function reminders(order: string, dueAt: Date): NewJob[] {
  const reminder = { kind: 'reminder', stage: 'send', payload: { order } };
  return [
    { ...reminder, idempotencyKey: `reminder:${order}:now`, priority: 10 }, // before all that is due with a lower one; the default is 0
    { ...reminder, idempotencyKey: `reminder:${order}:soon`, delayMs: 3_600_000 }, // an hour of the database's clock
    { ...reminder, idempotencyKey: `reminder:${order}:due`, runAt: dueAt }, // an instant that you mean as such
  ];
}
// #endregion

// #region cancel
/** False: it runs already, or has ended. */
export async function withdraw<Tx>(stores: Stores<Tx>, jobId: string): Promise<boolean> {
  const [outcome] = await stores.jobs.cancel([jobId], 'the order was withdrawn');
  return outcome === 'cancelled';
}
// #endregion

// #region dead-letters
/** Once the cause is mended: what died of it begins again at the stage that failed. */
export async function replayAll<Tx>(
  stores: Stores<Tx>,
  errorClass: string,
  actor: Actor,
  evidence: string,
): Promise<number> {
  const letters = await stores.deadLetters.list({ status: 'open', errorClass });
  const outcomes = await Promise.all(
    letters.map(({ id, stage }) =>
      stores.deadLetters.replay({ deadLetterId: id, stage, fromStart: false, actor, evidence }),
    ),
  );
  return outcomes.filter((outcome) => outcome === 'replayed').length;
}
// #endregion

// #region worker
/** The main function of a worker process. */
export async function work<Tx>(
  stores: Stores<Tx>,
  kinds: readonly JobKind<unknown>[],
  { redactor, ...more }: { redactor: Redactor; logger: Logger; signal: AbortSignal },
): Promise<void> {
  const { signal } = more;
  // Errors are stored and logged without the secrets in them.
  const redactText = (text: string): string => redactor.session().redact(text).text;
  await using worker = createQueueWorker({ stores, kinds, redactText, ...more });
  await worker.start();
  // It claims nothing more, lets what runs end within `worker.shutdownGraceMs`, and gives the rest
  // back.
  await once(signal, 'abort');
} // leaving the block waits until all that is done
// #endregion
