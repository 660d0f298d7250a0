import type { OutboundGate } from '../foundation/outbound.js';
import type { Clock } from '../foundation/time/clock.js';
import { withDeadline } from '../foundation/time/with-deadline.js';
import type { NotifyOutbox, OutboxLease, OutboxRow } from '../stores/notify-outbox.js';
import type { Logger } from '../telemetry/logger.js';
import type { DeliverySettings } from './deliver-settlement.js';
import type { MessageVault } from './frozen/frozen-mail.js';
import type { SendPacer } from './senders/send-pacer.js';
import type { Sender } from './senders/sender.js';

/** One claimed row, and what an attempt to deliver it needs. */
export interface DeliverOptions<Tx> {
  /** As claimed: the claim is the re-read of NOT-6. */
  row: OutboxRow;
  lease: OutboxLease;
  /** As the claim said: a higher version of the review has rows. */
  superseded: boolean;
  outbox: Pick<NotifyOutbox<Tx>, 'recordPhase' | 'settle'>;
  /** The mailer or channel that the row goes by. */
  sender: Sender;
  /** Kill switch and egress record; null: the host's own mails, which the host accounts for. */
  outbound: OutboundGate | null;
  vault: Pick<MessageVault, 'load'>;
  settings: DeliverySettings;
  /** The store's clock (`Stores.now`); asked only where a mail may already have been sent. */
  storeNow(): Promise<Date>;
  clock: Clock;
  /** Sends at a pace; a mail whose turn has not come waits, its attempt given back. Left out: at once. */
  pacer?: SendPacer | undefined;
  /**
   * Limit of one call of store or vault, in milliseconds: the lease. Left out: none, the calls have
   * limits of their own.
   */
  storeDeadlineMs?: number | undefined;
  /** Aborts when the lease is lost or the worker's grace is over. */
  signal: AbortSignal;
  logger: Logger;
}

/** How a delivery ended; `code` says why where it is not `sent`. */
export interface DeliveryResult {
  outcome: 'sent' | 'recovered' | 'skipped' | 'retrying' | 'waiting' | 'failed' | 'held' | 'cancelled' | 'lease-lost';
  code?: string | undefined;
  /** True where it waits for what is out or missing: mail server, credential, a release that knows the message. */
  outage?: true | undefined;
}

/** The same parts, whose calls are given up after `storeDeadlineMs`. */
export function withStoreDeadlines<Tx>(given: DeliverOptions<Tx>): DeliverOptions<Tx> {
  const { outbox, vault, clock, storeDeadlineMs: ms } = given;
  if (ms === undefined) return given;
  const limited = <T>(call: string, work: Promise<T>): Promise<T> => withDeadline({ clock, ms, call }, work);
  return {
    ...given,
    outbox: {
      recordPhase: (...args) => limited('outbox.recordPhase', outbox.recordPhase(...args)),
      settle: (settlements) => limited('outbox.settle', outbox.settle(settlements)),
    },
    vault: { load: (...args) => limited('vault.load', vault.load(...args)) },
    storeNow: () => limited('stores.now', given.storeNow()),
  };
}
