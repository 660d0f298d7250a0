import type { Random } from '../foundation/time/random.js';
import type { Settings } from '../settings.js';
import type { ClaimedOutboxRow, NotifyOutbox } from '../stores/notify-outbox.js';
import { errorFacts } from '../telemetry/error-facts.js';
import type { Logger } from '../telemetry/logger.js';
import { attribute, metric } from '../telemetry/names.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import { reconcileRow } from './deliver-reconcile.js';
import type { MessageVault } from './frozen-mail.js';
import type { Mailer } from './mailer.js';
import type { Mailers } from './mailers.js';

export interface ReconcilerOptions {
  outbox: NotifyOutbox<never>;
  mailers: Mailers;
  vault: MessageVault;
  settings: Pick<Settings['mail'], 'reconcileAfterMs' | 'leaseMs' | 'concurrency'>;
  /** Tells the outbox's worker that a reopened row is due. */
  wakeMail(): void;
  storeNow(): Promise<Date>;
  random: Random;
  logger: Logger;
  telemetry: Telemetry;
}

/** Looks at mails marked sent; gives the number of rows it looked at. */
export type Reconciler = (signal: AbortSignal) => Promise<number>;

/** Rows of one mailer in one turn: a long backlog must not keep the duties that share the turn waiting. */
const rowsPerTurn = 100;

/**
 * One turn of the audit of mails marked sent (NOT-8): rows that nobody verified and that are older
 * than `mail.reconcileAfterMs` and their mailer's settle time are looked up, at most 100 of each
 * mailer and `mail.concurrency` at a time. Found: verified. Conclusively absent: reopened, and delivered again
 * by the mail worker. A mailer without a look-up is never asked and no row is claimed. What fails
 * for one row is logged; its lease ends by itself. Rejects with the store's error when it cannot
 * claim.
 */
export function createReconciler(options: ReconcilerOptions): Reconciler {
  const { outbox, mailers, vault, settings, storeNow, random, logger, telemetry } = options;
  const owner = `reconciler-${random.uuid()}`;

  async function look(mailer: Mailer, { row, lease }: ClaimedOutboxRow, signal: AbortSignal): Promise<void> {
    try {
      const { outcome } = await reconcileRow({ row, lease, outbox, mailer, vault, storeNow, signal, logger });
      telemetry.count(metric.mailReconciled, 1, { [attribute.outcome]: outcome });
      if (outcome === 'reopened') options.wakeMail();
    } catch (error) {
      if (!signal.aborted) logger.error({ rowId: row.id, ...errorFacts(error) }, 'could not reconcile a mail');
    }
  }

  async function reconcileMailer(mailer: Mailer, signal: AbortSignal): Promise<number> {
    if (mailer.capabilities.lookup === 'none' || mailer.lookup === undefined) return 0;
    const olderThanMs = Math.max(settings.reconcileAfterMs, mailer.capabilities.settleMs);
    let looked = 0;
    while (looked < rowsPerTurn && !signal.aborted) {
      const limit = Math.min(settings.concurrency, rowsPerTurn - looked);
      const request = {
        owner,
        token: random.uuid(),
        leaseMs: settings.leaseMs,
        limit,
        via: [mailer.id],
        purpose: { reconcile: { olderThanMs } },
      };
      const claimed = await outbox.claim(request);
      await Promise.all(claimed.map((one) => look(mailer, one, signal)));
      looked += claimed.length;
      if (claimed.length < limit) break;
    }
    return looked;
  }

  return async (signal) => {
    let looked = 0;
    for (const id of mailers.ids) looked += await reconcileMailer(mailers.get(id), signal);
    return looked;
  };
}
