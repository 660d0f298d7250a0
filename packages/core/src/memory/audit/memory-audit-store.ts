import { CriticizerError } from '../../foundation/errors.js';
import { checkMs, sweepLimit } from '../../foundation/store-input.js';
import type {
  AuditDeadLetter,
  AuditDelivery,
  AuditEvent,
  AuditStats,
  AuditStore,
  NewAuditEvent,
} from '../../stores/audit-store.js';
import { checkAuditErasure } from '../../stores/input/audit-keeping.js';
import { checkAuditOperator, checkAuditSettlement, checkNewAuditEvent } from '../../stores/input/new-audit-event.js';
import { checkLeaseRequest } from '../../stores/input/new-job.js';
import type { MemoryDatabase, MemorySession, MemoryTx } from '../shared/memory-database.js';
import { isHeld, isHolder, leaseFrom } from '../shared/memory-lease.js';
import { pageOfList, pageOfRows } from '../shared/memory-pages.js';
import { eraseAuditSubject, pruneAuditEvents } from './memory-keep-audit.js';
import { changeDelivery, settleDelivery } from './memory-settle-audit.js';

const backlog: readonly AuditDelivery['state'][] = ['pending', 'in_progress', 'retry_wait'];

/** AUD-15 and ruling R3: the version grows with each earlier delivery of the event to that destination. */
function addDelivery(session: MemorySession, event: AuditEvent, destination: string): void {
  const { tables, now } = session;
  const earlier = tables.auditDeliveries
    .rows()
    .filter(({ delivery: d }) => d.auditEventId === event.id && d.destination === destination);
  const delivery: AuditDelivery = {
    id: session.newId(),
    auditEventId: event.id,
    destination,
    idempotencyKey: `${destination}:${event.id}:v${event.schemaVersion + earlier.length}`,
    state: 'pending',
    attemptCount: 0,
    nextAttemptAt: now,
    lastErrorCode: null,
    firstFailedAt: null,
    deliveredAt: null,
    receipt: null,
    createdAt: now,
  };
  tables.auditDeliveries.put(delivery.id, { delivery, lease: null, errorMessage: null, wasClaimed: false });
}

function record(session: MemorySession, wanted: NewAuditEvent, destinations: readonly string[]): AuditEvent {
  const { tables, now } = session;
  if (tables.auditEvents.get(wanted.id) !== undefined) {
    const details = { id: wanted.id };
    throw new CriticizerError('AUDIT_EVENT_EXISTS', 'an audit event of this id exists', {
      category: 'conflict',
      details,
    });
  }
  const event: AuditEvent = {
    ...structuredClone(wanted),
    occurredAt: new Date(wanted.occurredAt ?? now),
    createdAt: now,
  };
  tables.auditEvents.put(event.id, event);
  for (const destination of destinations) addDelivery(session, event, destination);
  return structuredClone(event);
}

function claimDeliveries(session: MemorySession, request: Parameters<AuditStore<MemoryTx>['claim']>[0]) {
  const { tables, now } = session;
  const due = tables.auditDeliveries.rows().filter(({ delivery, lease }) => {
    if (!request.destinations.includes(delivery.destination)) return false;
    return delivery.state === 'in_progress'
      ? !isHeld(lease, now)
      : backlog.includes(delivery.state) && delivery.nextAttemptAt <= now;
  });
  due.sort((a, b) => a.delivery.nextAttemptAt.getTime() - b.delivery.nextAttemptAt.getTime());
  return due.slice(0, request.limit).flatMap((held) => {
    const event = tables.auditEvents.get(held.delivery.auditEventId);
    if (event === undefined) return [];
    const delivery: AuditDelivery = {
      ...held.delivery,
      state: 'in_progress',
      attemptCount: held.delivery.attemptCount + (held.delivery.receipt === null ? 1 : 0),
    };
    tables.auditDeliveries.put(delivery.id, { ...held, delivery, lease: leaseFrom(now, request), wasClaimed: true });
    return [
      structuredClone({
        delivery,
        event,
        lease: { deliveryId: delivery.id, owner: request.owner, token: request.token },
      }),
    ];
  });
}

function operate(
  session: MemorySession,
  id: string,
  changes: { operatorStatus: AuditDeadLetter['operatorStatus']; operatorId: string; operatorNote: string },
): AuditDeadLetter | 'not-open' | 'not-found' {
  const letter = session.tables.auditDeadLetters.get(id);
  if (letter === undefined) return 'not-found';
  if (letter.operatorStatus !== 'open') return 'not-open';
  session.tables.auditDeadLetters.put(id, { ...letter, ...changes });
  return letter;
}

function countDeliveries(session: MemorySession): AuditStats[] {
  const counts = new Map<string, AuditStats>();
  const of = (destination: string): AuditStats => {
    const none = { pending: 0, deadLettersOpen: 0, oldestPendingMs: 0, oldestDeadLetterMs: 0 };
    const found = counts.get(destination) ?? { destination, ...none };
    counts.set(destination, found);
    return found;
  };
  const ageOf = (at: Date): number => session.now.getTime() - at.getTime();
  for (const { delivery } of session.tables.auditDeliveries.rows()) {
    const count = of(delivery.destination);
    if (!backlog.includes(delivery.state)) continue;
    count.pending += 1;
    count.oldestPendingMs = Math.max(count.oldestPendingMs, ageOf(delivery.createdAt));
  }
  for (const letter of session.tables.auditDeadLetters.rows()) {
    if (letter.operatorStatus !== 'open') continue;
    const count = of(letter.destination);
    count.deadLettersOpen += 1;
    count.oldestDeadLetterMs = Math.max(count.oldestDeadLetterMs, ageOf(letter.deadLetteredAt));
  }
  return [...counts.values()];
}

// long: the verbs of the facet, one after the other
/** The audit facet of `createMemoryStores`. Rows given out are copies. */
export function createMemoryAuditStore(database: MemoryDatabase): AuditStore<MemoryTx> {
  return {
    storeId: database.storeId,
    record: (event, destinations, options) =>
      database.write(options?.tx, (session) => {
        checkNewAuditEvent(event, destinations);
        return record(session, event, destinations);
      }),
    get: (id) => database.read(undefined, ({ tables }) => structuredClone(tables.auditEvents.get(id) ?? null)),
    list: (filter) =>
      database.read(undefined, ({ tables }) => {
        const { action, actorId, tenantId } = filter;
        const newest = tables.auditEvents.rows().reverse();
        newest.sort((a, b) => b.occurredAt.getTime() - a.occurredAt.getTime());
        return pageOfList(
          newest,
          filter,
          (event) => event.occurredAt,
          (event) =>
            (action ?? event.action) === event.action &&
            (actorId ?? event.actorId) === event.actorId &&
            (tenantId ?? event.tenantId) === event.tenantId,
        );
      }),
    claim: (request) =>
      database.write(undefined, (session) => {
        checkLeaseRequest(request);
        return claimDeliveries(session, request);
      }),
    heartbeat: (leases, leaseMs) =>
      database.write(undefined, (session) => {
        checkMs('leaseMs', leaseMs, 1);
        return leases.map((lease) => {
          const held = session.tables.auditDeliveries.get(lease.deliveryId);
          if (held === undefined || !isHolder(held.lease, lease)) return 'lease-lost';
          changeDelivery(session, held, {}, { lease: leaseFrom(session.now, { ...lease, leaseMs }) });
          return 'renewed';
        });
      }),
    settle: (settlements) =>
      database.write(undefined, (session) => {
        for (const [n, settlement] of settlements.entries()) checkAuditSettlement(settlement, `settlements[${n}]`);
        return settlements.map((settlement) => settleDelivery(session, settlement));
      }),
    requeueExpired: (options) =>
      database.write(undefined, (session) => {
        const expired = session.tables.auditDeliveries
          .rows()
          .filter(({ delivery, lease }) => delivery.state === 'in_progress' && !isHeld(lease, session.now));
        const swept = expired.slice(0, sweepLimit(options?.limit));
        for (const held of swept)
          changeDelivery(session, held, { state: 'retry_wait', nextAttemptAt: session.now }, { lease: null });
        return swept.length;
      }),
    listDeliveries: (filter) =>
      database.read(undefined, ({ tables }) => {
        const { state, destination, auditEventId } = filter;
        return pageOfRows(
          tables.auditDeliveries.rows().map(({ delivery }) => delivery),
          filter,
          (delivery) =>
            (state ?? delivery.state) === delivery.state &&
            (destination ?? delivery.destination) === delivery.destination &&
            (auditEventId ?? delivery.auditEventId) === delivery.auditEventId,
        );
      }),
    listDeadLetters: (filter) =>
      database.read(undefined, ({ tables }) => {
        const { operatorStatus, destination } = filter;
        return pageOfRows(
          tables.auditDeadLetters.rows(),
          filter,
          (letter) =>
            (operatorStatus ?? letter.operatorStatus) === letter.operatorStatus &&
            (destination ?? letter.destination) === letter.destination,
        );
      }),
    requeue: (deadLetterId, by, options) =>
      database.write(options?.tx, (session) => {
        checkAuditOperator('by', by);
        const changes = { operatorStatus: 'requeued', operatorId: by.actor.id, operatorNote: by.note } as const;
        const letter = operate(session, deadLetterId, changes);
        if (typeof letter === 'string') return letter;
        const event = session.tables.auditEvents.get(letter.auditEventId);
        if (event === undefined) return 'not-found';
        addDelivery(session, event, letter.destination);
        return 'requeued';
      }),
    close: (deadLetterId, closing, options) =>
      database.write(options?.tx, (session) => {
        checkAuditOperator('closing', closing);
        const changes = { operatorStatus: closing.status, operatorId: closing.actor.id, operatorNote: closing.note };
        const letter = operate(session, deadLetterId, changes);
        return typeof letter === 'string' ? letter : 'closed';
      }),
    eraseSubject: (erasure, options) =>
      database.write(options?.tx, (session) => {
        checkAuditErasure(erasure);
        return eraseAuditSubject(session, erasure);
      }),
    prune: (pruning, options) => database.write(options?.tx, (session) => pruneAuditEvents(session, pruning)),
    stats: () => database.read(undefined, countDeliveries),
  };
}
