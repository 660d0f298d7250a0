import type { AuditDelivery, AuditSettlement } from '../../stores/audit-store.js';
import type { MemoryRows, MemorySession } from '../shared/memory-database.js';
import { isHolder } from '../shared/memory-lease.js';

type Held = MemoryRows['auditDeliveries'];

/** Writes some columns of one delivery. */
export function changeDelivery(
  session: MemorySession,
  held: Held,
  delivery: Partial<AuditDelivery>,
  rest: Partial<Omit<Held, 'delivery'>>,
): void {
  session.tables.auditDeliveries.put(held.delivery.id, {
    ...held,
    ...rest,
    delivery: { ...held.delivery, ...delivery },
  });
}

function addDeadLetter(
  session: MemorySession,
  delivery: AuditDelivery,
  settlement: AuditSettlement & { kind: 'dead-letter' },
): void {
  const id = session.newId();
  session.tables.auditDeadLetters.put(id, {
    id,
    deliveryId: delivery.id,
    auditEventId: delivery.auditEventId,
    destination: delivery.destination,
    finalAttemptCount: delivery.attemptCount,
    firstFailedAt: delivery.firstFailedAt ?? session.now,
    deadLetteredAt: session.now,
    errorSummary: settlement.errorSummary,
    errorDetails: structuredClone(settlement.errorDetails),
    operatorStatus: 'open',
    operatorNote: null,
    operatorId: null,
  });
}

// long: one case for each settlement
/** One settlement under its lease; a dead letter is written with it. */
export function settleDelivery(session: MemorySession, settlement: AuditSettlement): 'settled' | 'lease-lost' {
  const { now } = session;
  const held = session.tables.auditDeliveries.get(settlement.lease.deliveryId);
  if (held?.delivery.state !== 'in_progress' || !isHolder(held.lease, settlement.lease)) return 'lease-lost';
  const { delivery } = held;
  const free = { lease: null };
  const failed = { firstFailedAt: delivery.firstFailedAt ?? now };
  /** The columns of a row that waits for its next claim. */
  const waits = (delayMs: number) =>
    ({ state: 'retry_wait', nextAttemptAt: new Date(now.getTime() + delayMs) }) as const;
  switch (settlement.kind) {
    case 'delivered':
      changeDelivery(session, held, { state: 'delivered', deliveredAt: now, receipt: null }, free);
      break;
    case 'accepted': {
      const receipt = structuredClone(settlement.receipt);
      changeDelivery(session, held, { ...waits(settlement.delayMs), receipt }, free);
      break;
    }
    case 'retry': {
      const { delayMs, errorCode, errorMessage } = settlement;
      changeDelivery(
        session,
        held,
        { ...failed, ...waits(delayMs), lastErrorCode: errorCode, receipt: null },
        { ...free, errorMessage },
      );
      break;
    }
    case 'wait': {
      const refund = delivery.receipt === null ? 1 : 0;
      const attemptCount = Math.max(0, delivery.attemptCount - refund);
      changeDelivery(session, held, { ...waits(settlement.delayMs), attemptCount }, free);
      break;
    }
    case 'dead-letter':
      changeDelivery(
        session,
        held,
        { ...failed, state: 'dead_lettered', lastErrorCode: settlement.errorCode, receipt: null },
        free,
      );
      addDeadLetter(session, delivery, settlement);
      break;
  }
  return 'settled';
}
