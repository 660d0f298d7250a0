import type { Clock } from '../foundation/time/clock.js';
import type { Random } from '../foundation/time/random.js';
import type { Settings } from '../settings.js';
import type { ClaimedOutboxRow, NotifyOutbox } from '../stores/notify-outbox.js';
import type { Logger } from '../telemetry/logger.js';
import { attribute, metric } from '../telemetry/names.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import { type BackoffPolicy, backoffMs } from '../worker/backoff.js';
import type { Outages } from '../worker/outages.js';
import { deliverRow } from './deliver.js';
import { type DeliverySettings, defaultDeliverySettings } from './deliver-settlement.js';
import type { MessageVault } from './frozen-mail.js';
import type { Mailers } from './mailers.js';
import { createPacers } from './send-pacer.js';

export interface MailDeliveryOptions {
  outbox: NotifyOutbox<never>;
  mailers: Mailers;
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
  const pacers = createPacers(options.mailers.ids, { ...options.settings, clock: options.clock });
  return async ({ row, lease }, signal) => {
    const { outbox, vault, storeNow, clock, logger } = options;
    const mailer = options.mailers.get(row.via);
    const pacer = pacers.get(row.via);
    const place = { stage: 'mail', mailer: row.via };
    const parts = { row, lease, outbox, mailer, vault, settings, storeNow, clock, pacer, signal, logger };
    const result = await deliverRow({ ...parts, storeDeadlineMs: options.settings.leaseMs });
    options.telemetry.count(metric.mailDelivered, 1, { [attribute.outcome]: result.outcome });
    if (result.outage === true) options.outages.parked(place, result.code ?? 'UNEXPECTED');
    if (result.outcome === 'sent') options.outages.passed(place);
  };
}
