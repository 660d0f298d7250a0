import type { Clock } from '../foundation/time/clock.js';
import { withDeadline } from '../foundation/time/with-deadline.js';
import type { ClaimedOutboxRow, NotifyOutbox, OutboxRow } from '../stores/notify-outbox.js';
import type { Logger } from '../telemetry/logger.js';
import type { DeliveryResult } from './deliver-options.js';
import type { DeliverySettings } from './deliver-settlement.js';
import { createGroupName } from './group-name.js';
import { createGroupTurns } from './group-turns.js';
import type { Sender } from './senders/sender.js';

/** What a turn of a group needs. */
export interface GroupDeliveryOptions<Tx> {
  outbox: Pick<NotifyOutbox<Tx>, 'list' | 'settle'>;
  settings: Pick<DeliverySettings, 'backoffMs'>;
  clock: Clock;
  /** Gets `channel.group_failed`. */
  logger: Logger;
}

/** Runs deliveries of one group one at a time, over all processes of the store. */
export interface GroupDelivery {
  /**
   * `deliver`, in its turn. Where another process delivers a row of the group the row waits instead, its attempt
   * given back; so it does where the signal aborts before its turn. No call of the store takes longer than
   * `leaseMs`. Rejects with the store's errors and those of `deliver`.
   */
  run(
    claimed: ClaimedOutboxRow,
    context: { sender: Pick<Sender, 'groupOf' | 'id'>; signal: AbortSignal; leaseMs: number },
    deliver: () => Promise<DeliveryResult>,
  ): Promise<DeliveryResult>;
}

/** At least so long a row waits for the other process, in milliseconds. */
const leastWaitMs = 250;
/** Rows of one page of those that are being sent. */
const pageRows = 1_000;

/**
 * No lock of the store is held while a server answers. Whoever claimed a row looks for rows of the group that others
 * have claimed, and sends only where there is none: of two that claim at once, one at least sees the other.
 * Where both do both wait, each for a time of its own.
 */
export function createGroupDelivery<Tx>({ outbox, settings, clock, logger }: GroupDeliveryOptions<Tx>): GroupDelivery {
  const turns = createGroupTurns();
  const nameGroup = createGroupName(logger);
  /** Rows that this process has claimed. */
  const own = new Set<string>();

  async function isBusy({ via }: OutboxRow, isOfGroup: (recipientKey: string) => boolean): Promise<boolean> {
    let before: string | undefined;
    for (;;) {
      const sending = await outbox.list({ status: 'sending', limit: pageRows, before });
      if (sending.some((row) => row.via === via && !own.has(row.id) && isOfGroup(row.recipientKey))) return true;
      if (sending.length < pageRows) return false;
      before = sending.at(-1)?.id;
    }
  }

  async function giveBack({ row, lease }: ClaimedOutboxRow): Promise<DeliveryResult> {
    const delayMs = leastWaitMs + settings.backoffMs(1);
    const [settled] = await outbox.settle([{ lease, kind: 'wait', delayMs, reason: 'group-busy', phase: row.phase }]);
    return settled === 'settled' ? { outcome: 'waiting', code: 'group-busy' } : { outcome: 'lease-lost' };
  }

  return {
    async run(claimed, { sender, signal, leaseMs }, deliver) {
      if (sender.groupOf === undefined) return deliver();
      const { row } = claimed;
      const group = nameGroup(sender, row.recipientKey);
      const limited = <T>(call: string, work: Promise<T>) => withDeadline({ clock, ms: leaseMs, call }, work);
      let hasTurn = false;
      own.add(row.id);
      try {
        return await turns.take(JSON.stringify([row.via, group]), signal, async () => {
          hasTurn = true;
          const isOfGroup = (recipientKey: string): boolean => nameGroup(sender, recipientKey) === group;
          const busy = await limited('outbox.list', isBusy(row, isOfGroup));
          return busy ? limited('outbox.settle', giveBack(claimed)) : deliver();
        });
      } catch (error) {
        if (hasTurn || !signal.aborted) throw error;
        return limited('outbox.settle', giveBack(claimed));
      } finally {
        own.delete(row.id);
      }
    },
  };
}
