import type { Clock } from '../foundation/time/clock.js';
import { withDeadline } from '../foundation/time/with-deadline.js';
import type { ClaimedOutboxRow, NotifyOutbox, OutboxRow } from '../stores/notify-outbox.js';
import type { Logger } from '../telemetry/logger.js';
import type { DeliveryResult } from './deliver-options.js';
import type { DeliverySettings } from './deliver-settlement.js';
import { createGroupName } from './group-name.js';
import { createGroupTurns } from './group-turns.js';
import type { Sender } from './senders/sender.js';
import { settle } from './settle-delivery.js';

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
   * given back; so it does where the signal aborts before its turn, or that does not come within 2 s. No call of
   * the store takes longer than `leaseMs`. Rejects with the store's errors and those of `deliver`.
   */
  run(
    claimed: ClaimedOutboxRow,
    context: { sender: Pick<Sender, 'groupOf' | 'id'>; signal: AbortSignal; leaseMs: number },
    deliver: () => Promise<DeliveryResult>,
  ): Promise<DeliveryResult>;
}

/** At least so long a row waits for the other process, in milliseconds. */
const leastWaitMs = 250;
/**
 * A row waits for its turn at most so long, in milliseconds: it has one of the few places in which the mails of the
 * process are sent, and the far end of its group may hang. Then it is given back for longer.
 */
const maxTurnWaitMs = 2_000;
const afterTurnWaitMs = 5_000;
/** Rows of one page of those that are being sent. */
const pageRows = 1_000;

/** True where one of the rows that are being sent is meant. */
async function isAnySending(
  outbox: Pick<NotifyOutbox<never>, 'list'>,
  isMeant: (row: OutboxRow) => boolean,
): Promise<boolean> {
  let before: string | undefined;
  for (;;) {
    const sending = await outbox.list({ status: 'sending', limit: pageRows, before });
    if (sending.some(isMeant)) return true;
    if (sending.length < pageRows) return false;
    before = sending.at(-1)?.id;
  }
}

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

  function giveBack({ row, lease }: ClaimedOutboxRow, leastMs: number): Promise<DeliveryResult> {
    const delayMs = leastMs + settings.backoffMs(1);
    const wait = { kind: 'wait', delayMs, reason: 'group-busy', phase: row.phase } as const;
    return settle({ outbox, lease, row, clock, logger }, wait);
  }

  return {
    async run(claimed, { sender, signal, leaseMs }, deliver) {
      if (sender.groupOf === undefined) return deliver();
      const { row } = claimed;
      const group = nameGroup(sender, row.recipientKey);
      const limited = <T>(call: string, work: Promise<T>) => withDeadline({ clock, ms: leaseMs, call }, work);
      const [tired, begun] = [new AbortController(), new AbortController()];
      clock.sleep(maxTurnWaitMs, begun.signal).then(
        () => tired.abort(new Error('its turn did not come')),
        () => undefined,
      );
      own.add(row.id);
      try {
        return await turns.take(JSON.stringify([row.via, group]), AbortSignal.any([signal, tired.signal]), async () => {
          begun.abort(new Error('its turn came'));
          const isForeign = ({ id, via, recipientKey }: OutboxRow): boolean =>
            via === row.via && !own.has(id) && nameGroup(sender, recipientKey) === group;
          const busy = await limited('outbox.list', isAnySending(outbox, isForeign));
          return busy ? limited('outbox.settle', giveBack(claimed, leastWaitMs)) : deliver();
        });
      } catch (error) {
        if (begun.signal.aborted || !(signal.aborted || tired.signal.aborted)) throw error;
        return limited('outbox.settle', giveBack(claimed, signal.aborted ? leastWaitMs : afterTurnWaitMs));
      } finally {
        begun.abort(new Error('it has ended'));
        own.delete(row.id);
      }
    },
  };
}
