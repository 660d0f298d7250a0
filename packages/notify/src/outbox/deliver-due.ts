import {
  checkAbortSignal,
  checkedElsewhere,
  checkFields,
  createOutboxWorker,
  type MailOutcome,
  type OptionShape,
  type OutboxWorkerOptions,
  oneOf,
  optional,
  runDue,
} from '@criticizer/core/internal';

/** How many mails are sent at a time, under a lease of which length. */
export interface DeliverDueOptions {
  /** Rows claimed at most, and sent at a time. Default 5. */
  limit?: number | undefined;
  /** Renewed while sending. Default 60 s. */
  leaseMs?: number | undefined;
  /** Stops what runs: before its data phase nothing is sent, after it the next run looks up. */
  signal?: AbortSignal | undefined;
}

const optionShape: OptionShape<DeliverDueOptions> = {
  limit: checkedElsewhere,
  leaseMs: checkedElsewhere,
  signal: optional(checkAbortSignal),
};

/** What runs of the outbox share. */
export type DueParts<Tx> = Pick<
  OutboxWorkerOptions<Tx>,
  'outbox' | 'via' | 'deliver' | 'clock' | 'random' | 'logger' | 'telemetry'
>;

interface DueRun {
  concurrency: number;
  limit?: number | undefined;
  leaseMs: number;
  signal?: AbortSignal | undefined;
}

/** An outbox worker for one run: the same loop and heartbeats as those of reviews. */
async function runOutbox<Tx>(parts: DueParts<Tx>, run: DueRun): Promise<readonly MailOutcome[]> {
  const { concurrency, limit, leaseMs, signal } = run;
  const outcomes: MailOutcome[] = [];
  const onOutcome = (outcome: MailOutcome): void => void outcomes.push(outcome);
  const poll = { minMs: leaseMs, maxMs: leaseMs };
  const worker = createOutboxWorker({ ...parts, concurrency, leaseMs, poll, onOutcome });
  await runDue([worker], { limit, signal });
  return outcomes;
}

/**
 * Claims what is due, at most `limit` rows, and delivers it to its end. What the store throws for
 * one row is logged and leaves that row to its lease. A call of the store that is never answered is
 * given up after a lease. Rejects with the store's error, or `STORE_TIMEOUT`, when it cannot claim.
 */
export async function deliverDue<Tx>(parts: DueParts<Tx>, options: DeliverDueOptions): Promise<readonly MailOutcome[]> {
  checkFields('deliverDue: options', options, optionShape);
  const { limit = 5, leaseMs = 60_000, signal } = options;
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > 1_000)
    throw new TypeError('deliverDue: limit: expected an integer from 1 to 1,000');
  if (!Number.isSafeInteger(leaseMs) || leaseMs < 3_000)
    throw new TypeError('deliverDue: leaseMs: expected at least 3,000');
  signal?.throwIfAborted();
  return runOutbox(parts, { concurrency: limit, limit, leaseMs, signal });
}

/** What `MailOutbox.runDue` runs: every mail that is due now, until none is. */
export interface RunMailsOptions {
  until?: 'idle' | undefined;
}

/** Delivers until nothing is due. Rejects as `deliverDue` does. */
export async function deliverAllDue<Tx>(
  parts: DueParts<Tx>,
  options: RunMailsOptions | undefined,
): Promise<readonly MailOutcome[]> {
  checkFields<RunMailsOptions>('runDue: options', options, { until: optional(oneOf('idle')) });
  return runOutbox(parts, { concurrency: 5, leaseMs: 60_000 });
}
