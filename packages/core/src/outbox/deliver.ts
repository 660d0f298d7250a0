import { type CriticizerError, isCriticizerError } from '../foundation/errors.js';
import type { DeliveryFailure, OutboxRow } from '../stores/notify-outbox.js';
import { errorFacts } from '../telemetry/error-facts.js';
import { type AttemptResult, attemptDelivery, CONTENT_DENIED } from './deliver-attempt.js';
import { type DeliverOptions, type DeliveryResult, withStoreDeadlines } from './deliver-options.js';
import { makesCopy, type SendReason, type SettlementBody, settlementFor } from './deliver-settlement.js';
import {
  type DeliveryDecision,
  type DeliveryFacts,
  decideAfterLookup,
  decideDelivery,
  sinceDataMs,
} from './delivery-decision.js';
import { checkKillSwitch } from './kill-switch-wait.js';
import type { LookupOutcome } from './senders/mailer.js';
import type { OpenMessage } from './senders/sender.js';
import { settle } from './settle-delivery.js';

function failureOf(code: string, message: string): DeliveryFailure {
  return { scope: 'message', code, category: 'bug', message };
}

/**
 * The frozen mail, or the settlement of a row whose mail cannot be had. A row that may have been
 * sent is held, never failed (NOT-7).
 */
async function loadMail<Tx>(
  options: DeliverOptions<Tx>,
  maybeSent: boolean,
): Promise<{ message: OpenMessage } | { settle: SettlementBody; outage?: true }> {
  const { row, settings } = options;
  const lost = (code: string, message: string): { settle: SettlementBody } => {
    options.logger.error(
      { event: 'mail.unusable', rowId: row.id, changelistId: row.changelistId, code },
      'the stored mail cannot be used',
    );
    return { settle: { kind: maybeSent ? 'unknown' : 'failed', failure: failureOf(code, message) } };
  };
  const wait = (error: CriticizerError): SettlementBody => {
    const ageMs = row.updatedAt.getTime() - row.createdAt.getTime();
    const delayMs = Math.max(settings.outageWaitMs(ageMs), error.retryAfterMs ?? 0);
    return { kind: 'wait', delayMs, reason: error.code, phase: row.phase };
  };
  let bytes: Uint8Array | null;
  try {
    bytes = await options.vault.load(row.messageArtifactId, { signal: options.signal });
  } catch (error) {
    if (!isCriticizerError(error)) throw error;
    return { settle: wait(error) };
  }
  if (bytes === null) return lost('MAIL_GONE', 'The stored mail has expired or was purged.');
  try {
    return { message: options.sender.open(bytes, row.messageSha256) };
  } catch (error) {
    if (!isCriticizerError(error)) throw error;
    if (error.parks) return { settle: wait(error), outage: true };
    return lost(error.code, error.message);
  }
}

async function lookUp<Tx>(
  options: DeliverOptions<Tx>,
  facts: DeliveryFacts,
  message: OpenMessage,
): Promise<LookupOutcome | 'failed'> {
  const { row, sender, signal, logger } = options;
  try {
    const found = await message.lookup?.({
      key: row.key,
      id: row.notificationId,
      recipient: row.recipient,
      since: row.createdAt,
      sinceDataMs: sinceDataMs(facts),
      signal,
    });
    return found ?? 'failed';
  } catch (error) {
    logger.warn(
      { event: 'mail.look_up_failed', rowId: row.id, mailer: sender.id, ...errorFacts(error) },
      'mail look-up failed; nothing is sent until it answers',
    );
    return 'failed';
  }
}

/** One lost answer is an accident; a second one in a row is a server that takes mails and does not answer. */
function isOutage(result: AttemptResult, row: OutboxRow): boolean {
  if (result.kind === 'rejected') return result.failure.scope === 'transport';
  if (result.kind === 'ambiguous') return row.dataAt !== null && result.failure.code !== 'MAIL_SEND_ABORTED';
  return result.kind === 'not-sent' && result.code !== 'MAIL_SEND_ABORTED';
}

/** Sends under a decision, then settles once. */
async function send<Tx>(options: DeliverOptions<Tx>, facts: DeliveryFacts, message: OpenMessage, how: SendReason) {
  const { row, sender, logger } = options;
  const { idempotency } = sender.capabilities;
  const openUntil = row.providerKeyExpiresAt?.getTime() ?? facts.nowMs;
  const windowMs = typeof idempotency === 'object' ? idempotency.ttlMs : undefined;
  const result = await attemptDelivery({
    ...options,
    message,
    key: row.key,
    possibleDuplicate: makesCopy(how),
    // A repeat does not lengthen the provider's promise.
    providerKeyTtlMs: how === 'replay' && windowMs !== undefined ? openUntil - facts.nowMs : windowMs,
  });
  if (result.kind === 'lease-lost') return { outcome: 'lease-lost' } as const;
  if (result.kind === 'ambiguous')
    logger.warn(
      { event: 'mail.in_doubt', rowId: row.id, code: result.failure.code },
      'a mail may or may not have been accepted',
    );
  const body = settlementFor({ row, sender, how }, result, options.settings);
  // A refused content level is reported once by the gate, not once for each mail.
  if (body.kind === 'failed' && body.failure.code !== CONTENT_DENIED)
    logger.error({ event: 'mail.failed', rowId: row.id, code: body.failure.code }, 'a mail failed for good');
  const settled = await settle(options, body);
  return settled.outcome === 'waiting' && isOutage(result, row) ? { ...settled, outage: true as const } : settled;
}

/** True where a newer version has its rows and this one would be sent after them, or fail for want of attempts. */
function isOver<Tx>({ superseded }: DeliverOptions<Tx>, { do: what }: DeliveryDecision): boolean {
  return superseded && (what === 'send' || what === 'resend' || what === 'replay' || what === 'exhausted');
}

/** Nothing more is sent of the row (NOT-2). */
async function cancelSuperseded<Tx>(options: DeliverOptions<Tx>): Promise<DeliveryResult> {
  const { id: rowId, changelistId, reviewVersion } = options.row;
  options.logger.info(
    { event: 'mail.superseded', rowId, changelistId, reviewVersion },
    'a newer version of the review has rows of its own; this one is not sent',
  );
  return settle(options, { kind: 'cancelled' });
}

/** Carries out every decision that needs no look-up. */
async function act<Tx>(
  options: DeliverOptions<Tx>,
  facts: DeliveryFacts,
  message: OpenMessage,
  decision: Exclude<DeliveryDecision, { do: 'lookup' | 'skip' }>,
): Promise<DeliveryResult> {
  const { row, sender, logger } = options;
  const phase = row.phase;
  const isSending = decision.do === 'send' || decision.do === 'resend' || decision.do === 'replay';
  const paceMs = isSending ? (options.pacer?.reserve(row.id) ?? 0) : 0;
  if (paceMs > 0) return settle(options, { kind: 'wait', delayMs: paceMs, reason: 'paced', phase });
  switch (decision.do) {
    case 'send':
    case 'resend':
      if (row.notificationId !== null) {
        logger.error(
          { event: 'mail.sent_again', rowId: row.id, changelistId: row.changelistId },
          'the provider has no record of a mail it had numbered; sending it',
        );
      }
      return send(
        options,
        facts,
        message,
        decision.do === 'resend' ? 'resend' : decision.certain ? 'certain' : 'flagged',
      );
    case 'replay':
      return send(options, facts, message, 'replay');
    case 'wait':
      return settle(options, { kind: 'wait', delayMs: decision.delayMs, reason: decision.why, phase });
    case 'recover':
      return settle(options, {
        kind: 'sent',
        notificationId: decision.id,
        provider: sender.id,
        recovered: true,
        possibleDuplicate: row.possibleDuplicate,
      });
    case 'hold':
      logger.error(
        { event: 'mail.held', rowId: row.id, changelistId: row.changelistId },
        'a mail may have been sent and nothing can tell; held for an operator',
      );
      return settle(options, {
        kind: 'unknown',
        failure: row.lastFailure ?? failureOf('MAIL_UNRESOLVED', 'It may have been sent; nothing can tell.'),
      });
    case 'exhausted':
      logger.error(
        { event: 'mail.failed', rowId: row.id, changelistId: row.changelistId },
        'a mail spent its attempts',
      );
      return settle(options, {
        kind: 'failed',
        failure: row.lastFailure ?? failureOf('MAIL_ATTEMPTS_SPENT', 'Every attempt ended without an answer.'),
      });
  }
}

/**
 * Delivers one claimed row: decide, look up where a copy may exist, record the data phase, send,
 * settle once (NOT-4..9). Safe to be killed at any point and run again by whoever claims the row
 * next. Rejects only with the store's own errors, and with a vault's that are no `CriticizerError`;
 * the lease then expires by itself.
 */
export async function deliverRow<Tx>(given: DeliverOptions<Tx>): Promise<DeliveryResult> {
  const options = withStoreDeadlines(given);
  const { row, sender, settings } = options;
  const maybeSent = row.phase === 'data' || row.notificationId !== null;
  const facts: DeliveryFacts = {
    row,
    sender,
    nowMs: maybeSent ? (await options.storeNow()).getTime() : row.updatedAt.getTime(),
  };
  let decision = decideDelivery(facts, settings);
  if (decision.do === 'skip') {
    if (decision.why === 'closed' || row.notificationId === null) return { outcome: 'skipped', code: decision.why };
    // Notified yet claimed: close it as it is, so that it is never offered again.
    return settle(options, {
      kind: 'sent',
      notificationId: row.notificationId,
      provider: row.provider ?? sender.id,
      recovered: true,
    });
  }
  if (isOver(options, decision)) return cancelSuperseded(options);
  const stopped = await checkKillSwitch(options);
  if (stopped !== null) return { ...(await settle(options, stopped)), outage: true };
  const loaded = await loadMail(options, maybeSent);
  if ('settle' in loaded) return { ...(await settle(options, loaded.settle)), ...(loaded.outage && { outage: true }) };
  if (decision.do === 'lookup')
    decision = decideAfterLookup(facts, settings, await lookUp(options, facts, loaded.message));
  if (isOver(options, decision)) return cancelSuperseded(options);
  if (decision.do === 'lookup' || decision.do === 'skip')
    throw new TypeError('deliverRow: a look-up led to no decision');
  return act(options, facts, loaded.message, decision);
}
