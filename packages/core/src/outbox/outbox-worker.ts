import type { Clock } from '../foundation/time/clock.js';
import type { Random } from '../foundation/time/random.js';
import type { ClaimedOutboxRow, NotifyOutbox } from '../stores/notify-outbox.js';
import type { Logger } from '../telemetry/logger.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import { createLeaseLoop, type LeaseLoop } from '../worker/lease/lease-loop.js';
import type { LeaseSource } from '../worker/lease/lease-source.js';
import { createDeliveryWaiters } from './delivery-waiters.js';
import type { MailDelivery, MailOutcome } from './mail-delivery.js';
import { renewOutboxLeases } from './renew-outbox-leases.js';

/** What one outbox worker delivers, by whom, and how much at a time. */
export interface OutboxWorkerOptions<Tx> {
  outbox: NotifyOutbox<Tx>;
  /** Ids of the mailers that this process has: it claims no row that goes by another. */
  via: readonly string[];
  deliver: MailDelivery;
  /** Rows at a time. */
  concurrency: number;
  leaseMs: number;
  poll: { minMs: number; maxMs: number };
  /** Receives how each delivery ended. */
  onOutcome?: ((outcome: MailOutcome) => void) | undefined;
  clock: Clock;
  random: Random;
  logger: Logger;
  telemetry: Telemetry;
}

/** The lease loop over the outbox, and a way to wait for rows in this process. */
export interface OutboxWorker extends LeaseLoop {
  /**
   * Wakes the worker, which claims these rows by id, and resolves when it has tried each of them
   * once, or after `waitMs`: another process may have them. Rejects with the signal's reason. Reads
   * nothing from the store.
   */
  tryRows(rowIds: readonly string[], limits: { waitMs: number; signal: AbortSignal }): Promise<void>;
}

type LeaseRequest = Parameters<LeaseSource<ClaimedOutboxRow>['claim']>[0];

/** Ids that one claim takes at most. */
const maxIds = 1_000;

/** Limit of one delivery, in milliseconds. Mailers have shorter ones of their own; this is for those that hang. */
const deliveryDeadlineMs = 10 * 60_000;

/**
 * Delivers whatever is due in the outbox, with or without a job: mails of reviews, mails of the
 * host. The lease loop over the outbox; knows no review.
 */
export function createOutboxWorker<Tx>(options: OutboxWorkerOptions<Tx>): OutboxWorker {
  const { outbox, via, deliver, concurrency, leaseMs, poll, onOutcome, clock, random, logger, telemetry } = options;
  const waiters = createDeliveryWaiters(clock);
  /** Rows that somebody in this process waits for: the next claim takes these by id, not whatever is due. */
  let wanted: readonly string[] = [];

  async function claim(request: LeaseRequest): Promise<readonly ClaimedOutboxRow[]> {
    const common = { ...request, via, purpose: 'deliver' } as const;
    const ids = wanted.slice(0, maxIds);
    wanted = wanted.slice(maxIds);
    const claimed = ids.length === 0 ? [] : await outbox.claim({ ...common, ids });
    // Others may have them, or they are not due: then whatever is.
    return claimed.length > 0 ? claimed : outbox.claim(common);
  }

  const loop = createLeaseLoop<ClaimedOutboxRow>({
    name: 'mail',
    source: {
      claim,
      heartbeat: renewOutboxLeases(outbox),
    },
    async handle(claimed, hold) {
      const rowId = claimed.row.id;
      try {
        const result = await deliver(claimed, { signal: hold.signal, leaseMs });
        onOutcome?.({ rowId, ...result });
      } finally {
        waiters.ended(rowId);
      }
    },
    concurrency,
    leaseMs,
    deadlineMs: deliveryDeadlineMs,
    poll,
    clock,
    random,
    logger,
    telemetry,
  });
  return {
    ...loop,
    async tryRows(rowIds, limits) {
      const tried = waiters.wait(rowIds, limits);
      wanted = [...new Set([...wanted, ...rowIds])];
      loop.wake();
      await tried;
    },
  };
}
