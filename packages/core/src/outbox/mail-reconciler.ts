import type { Clock } from '../foundation/time/clock.js';
import type { Random } from '../foundation/time/random.js';
import type { Settings } from '../settings/settings.js';
import type { ClaimedOutboxRow, NotifyOutbox } from '../stores/notify-outbox.js';
import { errorFacts } from '../telemetry/error-facts.js';
import type { Logger } from '../telemetry/logger.js';
import { attribute, metric } from '../telemetry/names.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import { createLeaseLoop } from '../worker/lease/lease-loop.js';
import { runDue } from '../worker/lease/run-due.js';
import { reconcileRow } from './deliver-reconcile.js';
import type { MessageVault } from './frozen/frozen-mail.js';
import { renewOutboxLeases } from './renew-outbox-leases.js';
import type { Sender } from './senders/sender.js';
import type { Senders } from './senders/senders.js';

export interface ReconcilerOptions {
  outbox: NotifyOutbox<never>;
  senders: Pick<Senders, 'get' | 'ids'>;
  vault: MessageVault;
  settings: Pick<Settings['mail'], 'reconcileAfterMs' | 'leaseMs' | 'concurrency'>;
  /** Tells the outbox's worker that a reopened row is due. */
  wakeMail(): void;
  /** Called for each mail that was marked sent and is not at the provider (NOT-8). */
  onReopened?: (() => void) | undefined;
  storeNow(): Promise<Date>;
  clock: Clock;
  random: Random;
  logger: Logger;
  telemetry: Telemetry;
}

/** Looks at mails marked sent; gives the number of rows it looked at. */
export type Reconciler = (signal: AbortSignal) => Promise<number>;

/** Rows of one mailer in one turn: a long backlog must not keep the duties that share the turn waiting. */
const rowsPerTurn = 100;

/** Limit of one look-up, in milliseconds; its lease is renewed until then. */
const lookupDeadlineMs = 5 * 60_000;

/**
 * One turn of the audit of mails marked sent (NOT-8): rows that nobody verified and that are older
 * than `mail.reconcileAfterMs` and their mailer's settle time are looked up, at most 100 of each
 * mailer and `mail.concurrency` at a time. Found: verified. Conclusively absent: reopened, and
 * delivered again by the outbox worker. A look-up keeps its lease for 5 minutes, then it is aborted.
 * A mailer without a look-up is never asked and no row is claimed. What fails
 * for one row is logged; its lease ends by itself. Rejects with the store's error when it cannot
 * claim.
 */
export function createReconciler(options: ReconcilerOptions): Reconciler {
  const { outbox, senders, vault, settings, storeNow, clock, random, logger, telemetry } = options;
  async function look(sender: Sender, { row, lease }: ClaimedOutboxRow, signal: AbortSignal): Promise<void> {
    try {
      const { outcome } = await reconcileRow({ row, lease, outbox, sender, vault, storeNow, signal, logger });
      telemetry.count(metric.mailReconciled, 1, { [attribute.outcome]: outcome });
      if (outcome !== 'reopened') return;
      options.wakeMail();
      options.onReopened?.();
    } catch (error) {
      if (!signal.aborted)
        logger.error(
          { event: 'mail.reconcile_failed', rowId: row.id, ...errorFacts(error) },
          'could not reconcile a mail',
        );
    }
  }

  async function reconcileSender(sender: Sender, signal: AbortSignal): Promise<number> {
    if (sender.capabilities.lookup === 'none' || !sender.hasLookup) return 0;
    const olderThanMs = Math.max(settings.reconcileAfterMs, sender.capabilities.settleMs);
    const loop = createLeaseLoop<ClaimedOutboxRow>({
      name: 'reconcile',
      source: {
        claim: (request) => outbox.claim({ ...request, via: [sender.id], purpose: { reconcile: { olderThanMs } } }),
        heartbeat: renewOutboxLeases(outbox),
      },
      handle: (claimed, hold) => look(sender, claimed, hold.signal),
      concurrency: settings.concurrency,
      leaseMs: settings.leaseMs,
      deadlineMs: lookupDeadlineMs,
      poll: { minMs: settings.leaseMs, maxMs: settings.leaseMs },
      clock,
      random,
      logger,
      telemetry,
    });
    return runDue([loop], { limit: rowsPerTurn, signal });
  }

  return async (signal) => {
    let looked = 0;
    for (const id of senders.ids) looked += await reconcileSender(senders.get(id), signal);
    return looked;
  };
}
