import { type BackoffPolicy, backoffMs } from '../jobs/backoff.js';
import { deliverRow } from '../notify/deliver.js';
import { type DeliverySettings, defaultDeliverySettings } from '../notify/deliver-settlement.js';
import type { MessageVault } from '../notify/frozen-mail.js';
import type { Mailer } from '../notify/mailer.js';
import type { ClaimedOutboxRow, NotifyOutbox } from '../notify/notify-outbox.js';
import { createSendPacer } from '../notify/send-pacer.js';
import type { Settings } from '../settings.js';
import type { Logger } from '../telemetry/logger.js';
import { attribute, metric } from '../telemetry/names.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import type { Clock } from '../time/clock.js';
import type { Random } from '../time/random.js';
import type { Outages } from './outages.js';

export interface MailDeliveryOptions {
  outbox: NotifyOutbox<never>;
  mailer: Mailer;
  vault: MessageVault;
  settings: Settings['mail'];
  backoff: BackoffPolicy;
  storeNow(): Promise<Date>;
  clock: Clock;
  random: Random;
  logger: Logger;
  telemetry: Telemetry;
  outages: Outages;
}

/** Delivers one claimed row with the host's settings, and reports outages of mail server or credential. */
export function createMailDelivery(
  options: MailDeliveryOptions,
): (claimed: ClaimedOutboxRow, signal: AbortSignal) => Promise<void> {
  const settings: DeliverySettings = {
    ...defaultDeliverySettings,
    ambiguity: options.settings.ambiguity,
    maxAttempts: options.settings.maxAttempts,
    backoffMs: (attempt) => backoffMs(options.backoff, attempt, options.random),
    maxBackoffMs: options.backoff.maxMs,
  };
  const { maxPerMinute } = options.settings;
  const pacer = maxPerMinute === null ? undefined : createSendPacer({ maxPerMinute, clock: options.clock });
  return async ({ row, lease }, signal) => {
    const { outbox, mailer, vault, storeNow, clock, logger } = options;
    const parts = { row, lease, outbox, mailer, vault, settings, storeNow, clock, pacer, signal, logger };
    const result = await deliverRow({ ...parts, storeDeadlineMs: options.settings.leaseMs });
    options.telemetry.count(metric.mailDelivered, 1, { [attribute.outcome]: result.outcome });
    if (result.outage === true) options.outages.parked({ stage: 'mail' }, result.code ?? 'UNEXPECTED');
    if (result.outcome === 'sent') options.outages.passed({ stage: 'mail' });
  };
}
