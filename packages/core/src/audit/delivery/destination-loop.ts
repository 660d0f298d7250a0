import { isCriticizerError } from '../../foundation/errors.js';
import type { OutboundGate } from '../../foundation/outbound.js';
import type { Clock } from '../../foundation/time/clock.js';
import type { Random } from '../../foundation/time/random.js';
import { withDeadline } from '../../foundation/time/with-deadline.js';
import type { Settings } from '../../settings/settings.js';
import type { AuditDelivery, AuditEvent, AuditStore, ClaimedAuditDelivery } from '../../stores/audit-store.js';
import { errorFacts } from '../../telemetry/error-facts.js';
import type { Logger } from '../../telemetry/logger.js';
import { attribute, messagingAttributes, metric } from '../../telemetry/names.js';
import type { Telemetry } from '../../telemetry/telemetry.js';
import { createLeaseLoop, type LeaseLoop } from '../../worker/lease/lease-loop.js';
import type { Hold } from '../../worker/lease/slots.js';
import { insistOnWrite } from '../../worker/retry/insist-on-write.js';
import type { Outages } from '../../worker/retry/outages.js';
import type { AuditSink, SinkAnswer } from '../sinks/audit-sink.js';
import { createDestinationBreaker, type DestinationBreaker } from './destination-breaker.js';
import { createLatencyWindow, shortestLeaseMs } from './retry-schedule.js';
import { sendOnce } from './send-once.js';
import { type SettlementBody, settleAnswer, settleSpent } from './settle-answer.js';

/** How one claim of one delivery ended. */
export interface AuditDeliveryOutcome {
  destination: string;
  deliveryId: string;
  auditEventId: string;
  idempotencyKey: string;
  schemaVersion: number;
  /** Attempts so far, this one included; a poll counts none. */
  attempt: number;
  outcome: 'delivered' | 'accepted' | 'retrying' | 'waiting' | 'dead-lettered' | 'lease-lost';
  /** Why, where it is not `delivered`. */
  code?: string | undefined;
  /** True where the far end said that it had the key already. */
  duplicate?: true | undefined;
}

/** What the loops of all destinations share. */
export interface DestinationLoopOptions<Tx> {
  store: Pick<AuditStore<Tx>, 'claim' | 'heartbeat' | 'settle'>;
  settings: Settings['audit'];
  poll: { minMs: number; maxMs: number };
  /** The kill switch, by the name `sink:<id>` (EGR-4); null: none. */
  outbound: Pick<OutboundGate, 'check'> | null;
  /** False keeps an event waiting, its attempt given back. What it throws counts as false. */
  mayDeliver?: ((event: AuditEvent, destination: string) => boolean | Promise<boolean>) | undefined;
  onOutcome?: ((outcome: AuditDeliveryOutcome) => void) | undefined;
  outages: Outages;
  clock: Clock;
  random: Random;
  logger: Logger;
  telemetry: Telemetry;
}

const outcomes = {
  delivered: 'delivered',
  accepted: 'accepted',
  retry: 'retrying',
  wait: 'waiting',
  'dead-letter': 'dead-lettered',
} as const;

/** How long an event waits that the kill switch stopped after its claim. */
const stoppedMs = 30_000;
const shortestHoldMs = 30_000;
const longestHoldMs = 900_000;

/**
 * How long an event waits that may not be delivered yet: a quarter of its age, 30 seconds to 15 minutes.
 * A rollout holds back a whole backlog for weeks, and each look costs a claim and a write.
 */
function holdMs({ createdAt }: AuditDelivery, nowMs: number): number {
  return Math.min(longestHoldMs, Math.max(shortestHoldMs, Math.floor((nowMs - createdAt.getTime()) / 4)));
}

type LeaseRequest = Parameters<AuditStore<unknown>['claim']>[0];

// long: the steps of one delivery, each short, over one destination's breaker and latencies
/**
 * Delivers the events of one destination: the lease loop over its rows of the outbox. A loop for
 * each, so that a slow or dead destination holds no other up, and a breaker for each (ruling R9).
 */
export function createDestinationLoop<Tx>(sink: AuditSink, options: DestinationLoopOptions<Tx>): LeaseLoop {
  const { store, settings, poll, outbound, mayDeliver, outages, clock, random, logger, telemetry } = options;
  const destination = sink.id;
  const latencies = createLatencyWindow();
  const { breaker: policy, sendTimeoutMs, concurrency } = settings;
  const breaker: DestinationBreaker = createDestinationBreaker(policy, { clock, probeMs: 2 * sendTimeoutMs });
  const labels = messagingAttributes('criticizer_audit', 'send', destination);
  let isKilled = false;

  /** False while the kill switch is on or cannot be read; logged once for each time. */
  async function mayLeave(): Promise<boolean> {
    try {
      await outbound?.check({ kind: 'sink', id: destination });
      isKilled = false;
      return true;
    } catch (error) {
      if (!isCriticizerError(error)) throw error;
      if (!isKilled)
        logger.warn(
          { event: 'audit.delivery_waits', destination, code: error.code },
          'audit events wait: nothing may be sent there now',
        );
      isKilled = true;
      return false;
    }
  }

  async function claim(request: Omit<LeaseRequest, 'destinations'>): Promise<readonly ClaimedAuditDelivery[]> {
    if (!(await mayLeave())) return [];
    const limit = breaker.admit(request.limit);
    if (limit === 0) return [];
    const claimed = await store.claim({ ...request, limit, destinations: [destination] });
    breaker.claimed(claimed.length);
    return claimed;
  }

  async function settle({ lease }: ClaimedAuditDelivery, body: SettlementBody): Promise<'settled' | 'lease-lost'> {
    const write = async () => (await store.settle([{ lease, ...body }]))[0] ?? 'lease-lost';
    if (body.kind !== 'delivered') return write();
    return insistOnWrite(write, {
      clock,
      onFailed: (error) =>
        logger.warn(
          { event: 'audit.settle_failed', destination, ...errorFacts(error) },
          'could not mark an audit event as delivered; trying again',
        ),
    });
  }

  async function end(claimed: ClaimedAuditDelivery, body: SettlementBody, answer?: SinkAnswer): Promise<void> {
    const { delivery, event } = claimed;
    const settled = await settle(claimed, body);
    const code = 'errorCode' in body ? body.errorCode : body.kind === 'wait' ? body.reason : undefined;
    if (settled === 'settled' && body.kind === 'dead-letter')
      logger.error(
        { event: 'audit.dead_letter', destination, deliveryId: delivery.id, auditEventId: event.id, code },
        'an audit event could not be delivered and waits for an operator as a dead letter',
      );
    options.onOutcome?.({
      destination,
      deliveryId: delivery.id,
      auditEventId: event.id,
      idempotencyKey: delivery.idempotencyKey,
      schemaVersion: event.schemaVersion,
      attempt: delivery.attemptCount,
      outcome: settled === 'settled' ? outcomes[body.kind] : 'lease-lost',
      ...(code === undefined ? {} : { code }),
      ...(answer?.kind === 'delivered' && answer.duplicate === true ? { duplicate: true } : {}),
    });
  }

  function report(answer: SinkAnswer, verdict: ReturnType<DestinationBreaker['observe']>): void {
    if (verdict === 'recovered') outages.recovered({ stage: 'audit', sink: destination });
    if (verdict !== 'out' || !('failure' in answer)) return;
    const details = { dependency: { stage: 'audit', sink: destination } };
    outages.parked({ stage: 'audit' }, answer.failure.code, details);
  }

  async function isHeldBack(event: AuditEvent, signal: AbortSignal): Promise<boolean> {
    if (mayDeliver === undefined) return false;
    try {
      const call = { clock, ms: sendTimeoutMs, call: 'mayDeliver', signal };
      return !(await withDeadline(call, Promise.resolve(mayDeliver(event, destination))));
    } catch (error) {
      logger.warn(
        { event: 'audit.delivery_unknown', destination, ...errorFacts(error) },
        'whether an audit event may be delivered is unknown; it waits',
      );
      return true;
    }
  }

  async function handle(claimed: ClaimedAuditDelivery, { signal }: Hold): Promise<void> {
    const giveBack = (reason: string, delayMs = 0): Promise<void> => end(claimed, { kind: 'wait', delayMs, reason });
    const spent = settleSpent(claimed.delivery);
    if (spent !== null) return end(claimed, spent);
    if (await isHeldBack(claimed.event, signal)) return giveBack('held back', holdMs(claimed.delivery, clock.nowMs()));
    if (!(await mayLeave())) return giveBack('EGRESS_KILLED', stoppedMs);
    const began = clock.monotonicMs();
    let answer: SinkAnswer;
    try {
      answer = await sendOnce({ sink, claimed, signal, timeoutMs: sendTimeoutMs, clock });
    } catch {
      const reason: unknown = signal.reason;
      const code = isCriticizerError(reason) ? reason.code : 'ABORTED';
      return code === 'LEASE_LOST' ? undefined : giveBack(code);
    }
    const tookMs = clock.monotonicMs() - began;
    latencies.add(tookMs);
    const failed = 'failure' in answer ? { [attribute.errorType]: answer.failure.code } : {};
    telemetry.record(metric.messagingDuration, tookMs / 1_000, { ...labels, ...failed });
    const wasOut = breaker.isOpen();
    const verdict = breaker.observe(answer);
    report(answer, verdict);
    const facts = { delivery: claimed.delivery, answer, wasOut, isOut: verdict === 'out', random };
    await end(claimed, settleAnswer(facts), answer);
  }

  return createLeaseLoop<ClaimedAuditDelivery>({
    name: `audit.${destination}`,
    source: {
      claim,
      heartbeat: (work, leaseMs) =>
        store.heartbeat(
          work.map(({ lease }) => lease),
          leaseMs,
        ),
    },
    handle,
    concurrency,
    leaseMs: shortestLeaseMs,
    nextLeaseMs: latencies.leaseMs,
    poll,
    clock,
    random,
    logger,
    telemetry,
  });
}
