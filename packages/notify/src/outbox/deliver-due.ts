import { randomUUID } from 'node:crypto';
import {
  checkAbortSignal,
  checkedElsewhere,
  checkFields,
  type DeliverOptions,
  type DeliveryResult,
  deliverRow,
  type Mailers,
  type OptionShape,
  optional,
  type SendPacer,
} from '@criticizer/core/internal';
import {
  type ClaimedOutboxRow,
  type Clock,
  CriticizerError,
  errorFacts,
  type NotifyOutbox,
  withDeadline,
} from '@criticizer/core/ports';

/** How many mails are sent at a time, under a lease of which length. */
export interface DeliverDueOptions {
  /** Rows taken and sent at a time. Default 5. */
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

type Parts<Tx> = Omit<DeliverOptions<Tx>, 'row' | 'lease' | 'signal' | 'outbox' | 'mailer' | 'pacer'> & {
  outbox: NotifyOutbox<Tx>;
  owner: string;
  mailers: Mailers;
  pacers: ReadonlyMap<string, SendPacer>;
};

interface Held {
  claimed: ClaimedOutboxRow;
  controller: AbortController;
}

/** A delivery that ignores its aborted signal is not waited for longer than this. */
const ABORT_GRACE_MS = 5_000;

/**
 * Renews the leases every third of them until `stopped`. A lost lease aborts its delivery; all are
 * lost once no renewal was answered for a whole lease, be it that the store fails or that it never
 * answers.
 */
async function keepLeases<Tx>(
  parts: Parts<Tx>,
  held: readonly Held[],
  leaseMs: number,
  stopped: AbortSignal,
): Promise<void> {
  const { clock, outbox, logger } = parts;
  const beatMs = Math.floor(leaseMs / 3);
  const leases = held.map((entry) => entry.claimed.lease);
  const lose = (entry: Held): void =>
    entry.controller.abort(
      new CriticizerError('LEASE_LOST', 'The lease of this mail was lost.', { category: 'conflict' }),
    );
  let renewedAt = clock.monotonicMs();
  for (;;) {
    try {
      await clock.sleep(beatMs, stopped);
    } catch {
      return;
    }
    const calledAt = clock.monotonicMs();
    try {
      const limits = { clock, ms: beatMs, call: 'outbox.heartbeat', signal: stopped };
      const answers = await withDeadline(limits, outbox.heartbeat(leases, leaseMs));
      renewedAt = calledAt;
      answers.forEach((answer, at) => {
        const entry = held[at];
        if (answer === 'lease-lost' && entry !== undefined) lose(entry);
      });
    } catch (error) {
      if (stopped.aborted) return;
      logger.warn({ ...errorFacts(error) }, 'could not renew the leases of mails under way');
      if (clock.monotonicMs() - renewedAt >= leaseMs) held.forEach(lose);
    }
  }
}

/** The delivery's end, or a rejection once it was aborted and its grace is over. */
async function untilAbandoned<T>(clock: Clock, { controller }: Held, delivery: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const abandoned = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener(
      'abort',
      () =>
        void clock.sleep(ABORT_GRACE_MS, ended.signal).then(
          () => reject(controller.signal.reason),
          () => undefined,
        ),
      { once: true },
    );
  });
  delivery.catch(() => undefined);
  try {
    return await Promise.race([delivery, abandoned]);
  } finally {
    ended.abort();
  }
}

/**
 * One claim, delivered to its end. What the store throws for one row is logged and leaves that row
 * to its lease. A call of the store that is never answered is given up after a lease. Rejects with
 * the store's error, or `STORE_TIMEOUT`, when it cannot claim.
 */
export async function deliverDue<Tx>(
  parts: Parts<Tx>,
  options: DeliverDueOptions,
): Promise<readonly (DeliveryResult & { rowId: string })[]> {
  checkFields('deliverDue: options', options, optionShape);
  const { limit = 5, leaseMs = 60_000, signal } = options;
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > 1_000)
    throw new TypeError('deliverDue: limit: expected an integer from 1 to 1,000');
  if (!Number.isSafeInteger(leaseMs) || leaseMs < 3_000)
    throw new TypeError('deliverDue: leaseMs: expected at least 3,000');
  signal?.throwIfAborted();
  const { clock, owner, outbox } = parts;
  const claim = outbox.claim({
    owner,
    token: randomUUID(),
    leaseMs,
    limit,
    via: parts.mailers.ids,
    purpose: 'deliver',
  });
  const rows = await withDeadline({ clock, ms: leaseMs, call: 'outbox.claim', signal }, claim);
  const held = rows.map((claimed) => ({ claimed, controller: new AbortController() }));
  const stopped = new AbortController();
  const abortAll = (): void => {
    for (const { controller } of held) controller.abort(signal?.reason);
  };
  signal?.addEventListener('abort', abortAll, { once: true });
  const renewing = keepLeases(parts, held, leaseMs, stopped.signal);
  const deliver = async (entry: Held): Promise<DeliveryResult> => {
    const { row, lease } = entry.claimed;
    const delivery = deliverRow({
      ...parts,
      row,
      lease,
      mailer: parts.mailers.get(row.via),
      pacer: parts.pacers.get(row.via),
      signal: entry.controller.signal,
      storeDeadlineMs: leaseMs,
    });
    return untilAbandoned(clock, entry, delivery);
  };
  try {
    const ended = await Promise.allSettled(held.map(deliver));
    return ended.flatMap((result, at) => {
      const rowId = held[at]?.claimed.row.id ?? '';
      if (result.status === 'fulfilled') return [{ ...result.value, rowId }];
      parts.logger.error(
        { rowId, ...errorFacts(result.reason) },
        'a delivery could not be settled; its lease will run out',
      );
      return [];
    });
  } finally {
    signal?.removeEventListener('abort', abortAll);
    stopped.abort();
    await renewing;
  }
}
