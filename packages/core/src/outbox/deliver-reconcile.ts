import { isCriticizerError } from '../foundation/errors.js';
import type { OutboxSettlement } from '../stores/notify-outbox.js';
import type { DeliverOptions } from './deliver-options.js';
import { sinceDataMs } from './delivery-decision.js';
import type { LookupOutcome } from './senders/mailer.js';

/** What `reconcileRow` found about a row that is marked sent. */
export interface ReconcileResult {
  outcome: 'verified' | 'unverified' | 'reopened' | 'lease-lost';
}

/** Needs no attempt, so no settings. */
export type ReconcileOptions<Tx> = Omit<DeliverOptions<Tx>, 'settings' | 'clock' | 'outbound' | 'superseded'>;

async function ask<Tx>(options: ReconcileOptions<Tx>): Promise<LookupOutcome> {
  const { row, sender, signal } = options;
  const { lookup, retentionMs } = sender.capabilities;
  const sinceMs = sinceDataMs({ row, sender, nowMs: (await options.storeNow()).getTime() });
  const blind = !sender.hasLookup || lookup === 'none' || (lookup === 'id' && row.notificationId === null);
  if (blind || sinceMs > retentionMs || row.provider !== sender.id) return { kind: 'absent', conclusive: false };
  const bytes = await options.vault.load(row.messageArtifactId, { signal });
  // Without the message there is nothing to compare; a purged one is not worth an alarm.
  const message = bytes === null ? null : sender.open(bytes, row.messageSha256);
  if (message?.lookup === undefined) return { kind: 'absent', conclusive: false };
  const query = {
    key: row.key,
    id: row.notificationId,
    recipient: row.recipient,
    since: row.createdAt,
    sinceDataMs: sinceMs,
    signal,
  };
  return message.lookup(query);
}

/**
 * Checks one row marked `sent` against the provider (NOT-8). Found: verified. Conclusively absent:
 * the markers are cleared, the row is due again and the log carries an error, since the order
 * "send, then mark" was broken. Anything less certain changes nothing.
 */
export async function reconcileRow<Tx>(options: ReconcileOptions<Tx>): Promise<ReconcileResult> {
  const { row, lease, logger } = options;
  let found: LookupOutcome;
  try {
    found = await ask(options);
  } catch (error) {
    if (!isCriticizerError(error)) throw error;
    logger.warn(
      { event: 'mail.check_failed', rowId: row.id, code: error.code },
      'could not check a sent mail; it is looked at again later',
    );
    found = { kind: 'absent', conclusive: false };
  }
  const kind: OutboxSettlement['kind'] & ('verified' | 'reopen' | 'unverified') =
    found.kind === 'found' ? 'verified' : found.conclusive ? 'reopen' : 'unverified';
  if (kind === 'reopen') {
    logger.error(
      { event: 'mail.no_record', rowId: row.id, changelistId: row.changelistId },
      'marked sent, but the provider has no record; due again',
    );
  }
  const [settled] = await options.outbox.settle([{ lease, kind }]);
  if (settled !== 'settled') return { outcome: 'lease-lost' };
  return { outcome: kind === 'reopen' ? 'reopened' : kind };
}
