import { randomUUID } from 'node:crypto';
import {
  type ClaimedOutboxRow,
  CriticizerError,
  type DeliverOptions,
  type DeliveryResult,
  deliverRow,
  errorFacts,
  type NotifyOutbox,
} from '@criticizer/core';

export interface DeliverDueOptions {
  /** Rows taken and sent at a time. Default 5. */
  limit?: number | undefined;
  /** Renewed while sending. Default 60 s. */
  leaseMs?: number | undefined;
  /** Stops what runs: before its data phase nothing is sent, after it the next run looks up. */
  signal?: AbortSignal | undefined;
}

type Parts<Tx> = Omit<DeliverOptions<Tx>, 'row' | 'lease' | 'signal' | 'outbox'> & { outbox: NotifyOutbox<Tx>; owner: string };

interface Held {
  claimed: ClaimedOutboxRow;
  controller: AbortController;
}

/** Renews the leases until it is stopped; a lost one aborts its delivery, and so does a store that cannot be asked in time. */
async function keepAlive<Tx>(parts: Parts<Tx>, held: readonly Held[], leaseMs: number, stopped: AbortSignal): Promise<void> {
  let renewedAt = parts.clock.monotonicMs();
  const lose = (entry: Held): void =>
    entry.controller.abort(new CriticizerError('LEASE_LOST', 'The lease of this mail was lost.', { category: 'conflict' }));
  for (;;) {
    try {
      await parts.clock.sleep(Math.floor(leaseMs / 3), stopped);
    } catch {
      return;
    }
    try {
      const answers = await parts.outbox.heartbeat(
        held.map((entry) => entry.claimed.lease),
        leaseMs,
      );
      renewedAt = parts.clock.monotonicMs();
      answers.forEach((answer, at) => {
        const entry = held[at];
        if (answer === 'lease-lost' && entry !== undefined) lose(entry);
      });
    } catch (error) {
      parts.logger.warn({ ...errorFacts(error) }, 'could not renew the leases of mails under way');
      if (parts.clock.monotonicMs() - renewedAt >= leaseMs) held.forEach(lose);
    }
  }
}

/** One claim, delivered to its end. What the store throws for one row is logged and leaves that row to its lease. */
export async function deliverDue<Tx>(
  parts: Parts<Tx>,
  options: DeliverDueOptions,
): Promise<readonly (DeliveryResult & { rowId: string })[]> {
  const { limit = 5, leaseMs = 60_000, signal } = options;
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > 1_000)
    throw new TypeError('deliverDue: limit: expected an integer from 1 to 1,000');
  if (!Number.isSafeInteger(leaseMs) || leaseMs < 3_000) throw new TypeError('deliverDue: leaseMs: expected at least 3,000');
  signal?.throwIfAborted();
  const rows = await parts.outbox.claim({ owner: parts.owner, token: randomUUID(), leaseMs, limit, purpose: 'deliver' });
  const held = rows.map((claimed) => ({ claimed, controller: new AbortController() }));
  const stopped = new AbortController();
  const abortAll = (): void => {
    for (const { controller } of held) controller.abort(signal?.reason);
  };
  signal?.addEventListener('abort', abortAll, { once: true });
  const beating = keepAlive(parts, held, leaseMs, stopped.signal);
  try {
    const ended = await Promise.allSettled(
      held.map(({ claimed, controller }) => deliverRow({ ...parts, row: claimed.row, lease: claimed.lease, signal: controller.signal })),
    );
    return ended.flatMap((result, at) => {
      const rowId = held[at]?.claimed.row.id ?? '';
      if (result.status === 'fulfilled') return [{ ...result.value, rowId }];
      parts.logger.error({ rowId, ...errorFacts(result.reason) }, 'a delivery could not be settled; its lease will run out');
      return [];
    });
  } finally {
    signal?.removeEventListener('abort', abortAll);
    stopped.abort();
    await beating;
  }
}
