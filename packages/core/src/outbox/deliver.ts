import { type CriticizerError, isCriticizerError } from '../foundation/errors.js';
import type { OutboundGate } from '../foundation/outbound.js';
import type { Clock } from '../foundation/time/clock.js';
import { withDeadline } from '../foundation/time/with-deadline.js';
import type { DeliveryFailure, NotifyOutbox, OutboxLease, OutboxRow } from '../stores/notify-outbox.js';
import { errorFacts } from '../telemetry/error-facts.js';
import type { Logger } from '../telemetry/logger.js';
import { insistOnWrite } from '../worker/retry/insist-on-write.js';
import { type AttemptResult, attemptDelivery, CONTENT_DENIED } from './deliver-attempt.js';
import {
  type DeliverySettings,
  makesCopy,
  type SendReason,
  type SettlementBody,
  settlementFor,
} from './deliver-settlement.js';
import {
  type DeliveryDecision,
  type DeliveryFacts,
  decideAfterLookup,
  decideDelivery,
  sinceDataMs,
} from './delivery-decision.js';
import { decodeFrozenMail, type MessageVault } from './frozen-mail.js';
import { checkKillSwitch } from './kill-switch-wait.js';
import type { FrozenMail, LookupOutcome, Mailer } from './mailer.js';
import type { SendPacer } from './send-pacer.js';

/** One claimed row, and what an attempt to deliver it needs. */
export interface DeliverOptions<Tx> {
  /** As claimed: the claim is the re-read of NOT-6. */
  row: OutboxRow;
  lease: OutboxLease;
  outbox: Pick<NotifyOutbox<Tx>, 'recordPhase' | 'settle'>;
  mailer: Mailer;
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
  outcome: 'sent' | 'recovered' | 'skipped' | 'retrying' | 'waiting' | 'failed' | 'held' | 'lease-lost';
  code?: string | undefined;
  /** True where it waits for what is out or missing: mail server, credential, a release that knows the message. */
  outage?: true | undefined;
}

const outcomes = { sent: 'sent', retry: 'retrying', wait: 'waiting', failed: 'failed', unknown: 'held' } as const;

function failureOf(code: string, message: string): DeliveryFailure {
  return { scope: 'message', code, category: 'bug', message };
}

function codeOf(body: SettlementBody): string | undefined {
  if (body.kind === 'wait') return body.reason;
  return 'failure' in body ? body.failure.code : undefined;
}

/** One write; only a mail that was accepted is worth insisting on. */
async function settle<Tx>(options: DeliverOptions<Tx>, body: SettlementBody): Promise<DeliveryResult> {
  const { outbox, lease, row, clock, logger } = options;
  const write = async (): Promise<DeliveryResult> => {
    const [settled] = await outbox.settle([{ lease, ...body }]);
    if (settled !== 'settled') return { outcome: 'lease-lost' };
    const outcome = body.kind === 'sent' && body.recovered ? 'recovered' : outcomes[body.kind];
    return { outcome, code: codeOf(body) };
  };
  if (body.kind !== 'sent') return write();
  return insistOnWrite(write, {
    clock,
    onFailed: (error) =>
      logger.warn(
        { event: 'mail.settle_failed', rowId: row.id, ...errorFacts(error) },
        'could not mark an accepted mail as sent; trying again',
      ),
  });
}

/**
 * The frozen mail, or the settlement of a row whose mail cannot be had. A row that may have been
 * sent is held, never failed (NOT-7).
 */
async function loadMail<Tx>(
  options: DeliverOptions<Tx>,
  maybeSent: boolean,
): Promise<{ mail: FrozenMail } | { settle: SettlementBody; outage?: true }> {
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
    return { mail: decodeFrozenMail(bytes, row.messageSha256) };
  } catch (error) {
    if (!isCriticizerError(error)) throw error;
    if (error.parks) return { settle: wait(error), outage: true };
    return lost(error.code, error.message);
  }
}

async function lookUp<Tx>(
  options: DeliverOptions<Tx>,
  facts: DeliveryFacts,
  mail: FrozenMail,
): Promise<LookupOutcome | 'failed'> {
  const { row, mailer, signal, logger } = options;
  try {
    const found = await mailer.lookup?.({
      key: row.key,
      messageId: mail.messageId,
      id: row.notificationId,
      recipient: row.recipient,
      since: row.createdAt,
      sinceDataMs: sinceDataMs(facts),
      signal,
    });
    return found ?? 'failed';
  } catch (error) {
    logger.warn(
      { event: 'mail.look_up_failed', rowId: row.id, mailer: mailer.id, ...errorFacts(error) },
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
async function send<Tx>(options: DeliverOptions<Tx>, facts: DeliveryFacts, mail: FrozenMail, how: SendReason) {
  const { row, mailer, logger } = options;
  const { idempotency } = mailer.capabilities;
  const openUntil = row.providerKeyExpiresAt?.getTime() ?? facts.nowMs;
  const windowMs = typeof idempotency === 'object' ? idempotency.ttlMs : undefined;
  const result = await attemptDelivery({
    ...options,
    mail,
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
  const body = settlementFor({ row, mailer, how }, result, options.settings);
  // A refused content level is reported once by the gate, not once for each mail.
  if (body.kind === 'failed' && body.failure.code !== CONTENT_DENIED)
    logger.error({ event: 'mail.failed', rowId: row.id, code: body.failure.code }, 'a mail failed for good');
  const settled = await settle(options, body);
  return settled.outcome === 'waiting' && isOutage(result, row) ? { ...settled, outage: true as const } : settled;
}

/** Carries out every decision that needs no look-up. */
async function act<Tx>(
  options: DeliverOptions<Tx>,
  facts: DeliveryFacts,
  mail: FrozenMail,
  decision: Exclude<DeliveryDecision, { do: 'lookup' | 'skip' }>,
): Promise<DeliveryResult> {
  const { row, mailer, logger } = options;
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
      return send(options, facts, mail, decision.do === 'resend' ? 'resend' : decision.certain ? 'certain' : 'flagged');
    case 'replay':
      return send(options, facts, mail, 'replay');
    case 'wait':
      return settle(options, { kind: 'wait', delayMs: decision.delayMs, reason: decision.why, phase });
    case 'recover':
      return settle(options, {
        kind: 'sent',
        notificationId: decision.id,
        provider: mailer.id,
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

/** The same parts, whose calls are given up after `storeDeadlineMs`. */
function withStoreDeadlines<Tx>(given: DeliverOptions<Tx>): DeliverOptions<Tx> {
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

/**
 * Delivers one claimed row: decide, look up where a copy may exist, record the data phase, send,
 * settle once (NOT-4..9). Safe to be killed at any point and run again by whoever claims the row
 * next. Rejects only with the store's own errors, and with a vault's that are no `CriticizerError`;
 * the lease then expires by itself.
 */
export async function deliverRow<Tx>(given: DeliverOptions<Tx>): Promise<DeliveryResult> {
  const options = withStoreDeadlines(given);
  const { row, mailer, settings } = options;
  const maybeSent = row.phase === 'data' || row.notificationId !== null;
  const facts: DeliveryFacts = {
    row,
    mailer,
    nowMs: maybeSent ? (await options.storeNow()).getTime() : row.updatedAt.getTime(),
  };
  let decision = decideDelivery(facts, settings);
  if (decision.do === 'skip') {
    if (decision.why === 'closed' || row.notificationId === null) return { outcome: 'skipped', code: decision.why };
    // Notified yet claimed: close it as it is, so that it is never offered again.
    return settle(options, {
      kind: 'sent',
      notificationId: row.notificationId,
      provider: row.provider ?? mailer.id,
      recovered: true,
    });
  }
  const stopped = await checkKillSwitch(options);
  if (stopped !== null) return { ...(await settle(options, stopped)), outage: true };
  const loaded = await loadMail(options, maybeSent);
  if ('settle' in loaded) return { ...(await settle(options, loaded.settle)), ...(loaded.outage && { outage: true }) };
  if (decision.do === 'lookup')
    decision = decideAfterLookup(facts, settings, await lookUp(options, facts, loaded.mail));
  if (decision.do === 'lookup' || decision.do === 'skip')
    throw new TypeError('deliverRow: a look-up led to no decision');
  return act(options, facts, loaded.mail, decision);
}
