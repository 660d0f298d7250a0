import { classifyFailure } from '../foundation/failures/failure.js';
import type { OutboundGate } from '../foundation/outbound.js';
import type { Clock } from '../foundation/time/clock.js';
import type { Random } from '../foundation/time/random.js';
import type { Settings } from '../settings/settings.js';
import type { ClaimedOutboxRow, NotifyOutbox, OutboxRow } from '../stores/notify-outbox.js';
import type { Logger } from '../telemetry/logger.js';
import { attribute, messagingAttributes, metric, nameMessagingSpan } from '../telemetry/names.js';
import { relateToOrigin } from '../telemetry/relate-span.js';
import { noTelemetry, runInSpan, type Telemetry } from '../telemetry/telemetry.js';
import { type BackoffPolicy, backoffMs } from '../worker/retry/backoff.js';
import type { Outages } from '../worker/retry/outages.js';
import { deliverRow } from './deliver.js';
import type { DeliveryResult } from './deliver-options.js';
import { type DeliverySettings, defaultDeliverySettings } from './deliver-settlement.js';
import type { MessageVault } from './frozen/frozen-mail.js';
import { createGroupDelivery } from './group-delivery.js';
import { createPacers } from './senders/send-pacer.js';
import type { Senders } from './senders/senders.js';

export interface MailDeliveryOptions<Tx> {
  outbox: NotifyOutbox<Tx>;
  senders: Pick<Senders, 'get' | 'ids'>;
  /** Kill switch and egress record of every mail; null: the host's own mails, which the host accounts for. */
  outbound: OutboundGate | null;
  vault: Pick<MessageVault, 'load'>;
  settings: DeliverySettings;
  /** Mails by each mailer in any 60 seconds; null: not limited. */
  maxPerMinute: number | null;
  storeNow(): Promise<Date>;
  clock: Clock;
  logger: Logger;
  telemetry: Telemetry;
  /** True makes deliveries children of the span that stored their review's job; else they link to it. Default false. */
  oneTrace?: boolean | undefined;
  outages: Outages;
}

/** How one delivery of one row ended. */
export interface MailOutcome extends DeliveryResult {
  rowId: string;
}

/** Delivers one claimed row. No call of store or vault takes longer than `leaseMs`. Throws what the store throws. */
export type MailDelivery = (
  claimed: ClaimedOutboxRow,
  limits: { signal: AbortSignal; leaseMs: number },
) => Promise<DeliveryResult>;

/** The host's settings as the policy of deliveries. */
export function toDeliverySettings(
  { ambiguity, maxAttempts }: Pick<Settings['mail'], 'ambiguity' | 'maxAttempts'>,
  backoff: BackoffPolicy,
  random: Random,
): DeliverySettings {
  const backoffOf = (attempt: number): number => backoffMs(backoff, attempt, random);
  return { ...defaultDeliverySettings, ambiguity, maxAttempts, backoffMs: backoffOf, maxBackoffMs: backoff.maxMs };
}

/** Outcomes of which the code says what failed, not why the mail waits. */
const failures: ReadonlySet<DeliveryResult['outcome']> = new Set(['retrying', 'failed', 'held']);

function errorTypeOf({ outcome, code, outage }: DeliveryResult): string | undefined {
  if (outcome === 'lease-lost') return 'LEASE_LOST';
  return failures.has(outcome) || outage === true ? (code ?? 'UNEXPECTED') : undefined;
}

/** One attempt as a span and a duration of the messaging conventions; the row says which trace it belongs to. */
async function measure<Tx>(
  { telemetry, clock, oneTrace }: MailDeliveryOptions<Tx>,
  row: OutboxRow,
  deliver: () => Promise<DeliveryResult>,
): Promise<DeliveryResult> {
  if (telemetry === noTelemetry) return deliver();
  const labels = messagingAttributes('criticizer_mail', 'send', row.via);
  const described = {
    ...labels,
    [attribute.messagingOperationType]: 'send',
    [attribute.messagingMessageId]: row.id,
    [attribute.attempt]: row.attempts,
  };
  const relation = relateToOrigin('producer', row.traceparent, oneTrace);
  const span = telemetry.startSpan(nameMessagingSpan('send', row.via), described, relation);
  const began = clock.monotonicMs();
  const ended = (errorType: string | undefined): void => {
    const failed = errorType === undefined ? {} : { [attribute.errorType]: errorType };
    telemetry.record(metric.messagingDuration, (clock.monotonicMs() - began) / 1_000, { ...labels, ...failed });
    span.end(errorType);
  };
  try {
    const result = await runInSpan(span, deliver);
    telemetry.count(metric.mailDelivered, 1, { [attribute.outcome]: result.outcome });
    span.setAttributes({ [attribute.outcome]: result.outcome });
    ended(errorTypeOf(result));
    return result;
  } catch (error) {
    ended(classifyFailure(error).code);
    throw error;
  }
}

/** Delivers rows at the pace that was set, and reports outages of mail server or credential once. */
export function createMailDelivery<Tx>(options: MailDeliveryOptions<Tx>): MailDelivery {
  const { outbox, senders, outbound, vault, settings, storeNow, clock, logger, outages } = options;
  const pacers = createPacers(senders.ids, options);
  const groups = createGroupDelivery({ outbox, settings, clock, logger });
  return async (claim, { signal, leaseMs }) => {
    const { row } = claim;
    const sender = senders.get(row.via);
    const pacer = pacers.get(row.via);
    const place = { stage: 'mail', mailer: row.via };
    const parts = { outbox, sender, outbound, vault, settings, storeNow, clock, pacer, signal, logger };
    const deliver = () => measure(options, row, () => deliverRow({ ...parts, ...claim, storeDeadlineMs: leaseMs }));
    const result = await groups.run(claim, { sender, signal, leaseMs }, deliver);
    if (result.outage === true) outages.parked(place, result.code ?? 'UNEXPECTED');
    if (result.outcome === 'sent') outages.passed(place);
    return result;
  };
}
