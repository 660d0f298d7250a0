import {
  type AuditDeadLetterRow,
  type AuditDeliveryRow,
  type AuditEventRow,
  checkAuditErasure,
  checkAuditOperator,
  checkAuditPruning,
  checkAuditSettlement,
  checkLeaseRequest,
  checkMs,
  checkNewAuditEvent,
  sweepLimit,
  toAuditDeadLetter,
  toAuditDelivery,
  toAuditEvent,
} from '@criticizer/core/internal';
import type { Actor, AuditDeliveryState, AuditStats, AuditStore } from '@criticizer/core/ports';
import { type Condition, listByPlace, listByRowId } from '../shared/list-rows.js';
import type { SqliteTx } from '../shared/sqlite-database.js';
import type { SqliteFacet } from '../shared/sqlite-facet.js';
import type { SqliteSession } from '../shared/sqlite-session.js';
import { claimDeliveries, renewDelivery, requeueExpiredDeliveries, settleDelivery } from './deliver-audit.js';
import { eraseAuditSubject } from './erase-subject.js';
import { pruneAuditEvents } from './prune-audit.js';
import { addDelivery, recordAudit } from './record-audit.js';

/** `open` to another status with who and why; the rest of a dead letter never changes (AUD-16). */
function endDeadLetter(
  session: SqliteSession,
  id: string,
  status: 'requeued' | 'ignored' | 'resolved',
  by: { actor: Actor; note: string },
): AuditDeadLetterRow | 'not-open' | 'not-found' {
  const row = session.first<AuditDeadLetterRow>('SELECT * FROM audit_dead_letter WHERE id = ?', id);
  if (row === undefined) return 'not-found';
  if (row.operator_status !== 'open') return 'not-open';
  session.run(
    `UPDATE audit_dead_letter SET operator_status = ?, operator_note = ?, operator_id = ?, updated_at_utc = max(updated_at_utc, ?)
      WHERE id = ?`,
    ...[status, by.note, by.actor.id, session.nowMs, id],
  );
  return row;
}

const placeOfEvent = (column: string): string => `(SELECT p.${column} FROM audit_events AS p WHERE p.id = ?)`;

const events = {
  select: 'SELECT * FROM audit_events',
  orderBy: 'occurred_at_utc DESC, created_at_utc DESC, id DESC',
  find: 'SELECT 1 FROM audit_events WHERE id = ?',
  behind: `(occurred_at_utc, created_at_utc, id) < (${placeOfEvent('occurred_at_utc')}, ${placeOfEvent('created_at_utc')}, ?)`,
  at: 'occurred_at_utc',
};

const letters = {
  select: 'SELECT * FROM audit_dead_letter',
  orderBy: 'dead_lettered_at_utc DESC, id DESC',
  find: 'SELECT 1 FROM audit_dead_letter WHERE id = ?',
  behind:
    '(dead_lettered_at_utc, id) < ((SELECT p.dead_lettered_at_utc FROM audit_dead_letter AS p WHERE p.id = ?), ?)',
  at: 'dead_lettered_at_utc',
};

/**
 * Names the predicate of the partial index, so that it serves every state but `delivered`. Of those
 * the primary key finds a page at once: the `+` keeps the planner from sorting all of them.
 */
function inState(state: AuditDeliveryState | undefined): Condition {
  return [
    state === 'delivered' ? '+delivery_state = ?' : "delivery_state <> 'delivered' AND delivery_state = ?",
    state,
  ];
}

function stats(session: SqliteSession): AuditStats[] {
  const rows = session.all<{
    destination: string;
    pending: number;
    letters: number;
    oldest: number | null;
    letter_at: number | null;
  }>(
    `SELECT destination, sum(pending) AS pending, sum(letters) AS letters, min(oldest) AS oldest, min(letter_at) AS letter_at FROM (
        SELECT destination, count(*) AS pending, 0 AS letters, min(created_at_utc) AS oldest, NULL AS letter_at FROM audit_outbox
          WHERE delivery_state IN ('pending', 'retry_wait', 'in_progress') GROUP BY destination
        UNION ALL
        SELECT destination, 0, count(*), NULL, min(dead_lettered_at_utc) FROM audit_dead_letter
          WHERE operator_status = 'open' GROUP BY destination)
      GROUP BY destination ORDER BY destination`,
  );
  const ageOf = (at: number | null): number => (at === null ? 0 : Math.max(0, session.nowMs - at));
  return rows.map(({ destination, pending, letters, oldest, letter_at: letterAt }) => ({
    destination,
    pending,
    deadLettersOpen: letters,
    oldestPendingMs: ageOf(oldest),
    oldestDeadLetterMs: ageOf(letterAt),
  }));
}

// long: the verbs of the facet, one after the other
/**
 * `audit_events`, `audit_outbox` and `audit_dead_letter` on SQLite (AUD-1). Every call with `tx`
 * runs under a savepoint (ruling R12).
 */
export function createSqliteAuditStore({ storeId, gate, rowId }: SqliteFacet): AuditStore<SqliteTx> {
  return {
    storeId,
    async record(event, destinations, options) {
      checkNewAuditEvent(event, destinations);
      return gate.write(options?.tx, (session) => recordAudit(session, event, destinations, rowId));
    },
    get: (id) =>
      gate.read(undefined, (session) => {
        const row = session.first<AuditEventRow>('SELECT * FROM audit_events WHERE id = ?', id);
        return row === undefined ? null : toAuditEvent(row);
      }),
    list: (filter) =>
      gate.read(undefined, (session) =>
        listByPlace<AuditEventRow>(session, events, filter, [
          ['action = ?', filter.action],
          ['actor_id = ?', filter.actorId],
          ['tenant_id = ?', filter.tenantId],
        ]).map(toAuditEvent),
      ),
    async claim(request) {
      checkLeaseRequest(request);
      return gate.write(undefined, (session) => claimDeliveries(session, request));
    },
    async heartbeat(leases, leaseMs) {
      checkMs('leaseMs', leaseMs, 1);
      if (leases.length === 0) return [];
      return gate.write(undefined, (session) => leases.map((lease) => renewDelivery(session, lease, leaseMs)));
    },
    async settle(settlements) {
      for (const [n, settlement] of settlements.entries()) checkAuditSettlement(settlement, `settlements[${n}]`);
      if (settlements.length === 0) return [];
      return gate.write(undefined, (session) =>
        settlements.map((settlement) => settleDelivery(session, settlement, rowId)),
      );
    },
    async requeueExpired(options) {
      const limit = sweepLimit(options?.limit);
      return gate.write(undefined, (session) => requeueExpiredDeliveries(session, limit));
    },
    listDeliveries: (filter) =>
      gate.read(undefined, (session) =>
        listByRowId<AuditDeliveryRow>(session, 'SELECT * FROM audit_outbox', filter, [
          inState(filter.state),
          ['destination = ?', filter.destination],
          ['audit_event_id = ?', filter.auditEventId],
        ]).map(toAuditDelivery),
      ),
    listDeadLetters: (filter) =>
      gate.read(undefined, (session) =>
        listByPlace<AuditDeadLetterRow>(session, letters, filter, [
          ['operator_status = ?', filter.operatorStatus],
          ['destination = ?', filter.destination],
        ]).map(toAuditDeadLetter),
      ),
    async requeue(deadLetterId, by, options) {
      checkAuditOperator('by', by);
      return gate.write(options?.tx, (session) => {
        const letter = endDeadLetter(session, deadLetterId, 'requeued', by);
        if (typeof letter === 'string') return letter;
        const event = session.first<AuditEventRow>('SELECT * FROM audit_events WHERE id = ?', letter.audit_event_id);
        if (event === undefined) return 'not-found';
        addDelivery(session, { id: event.id, schemaVersion: event.schema_version }, letter.destination, rowId);
        return 'requeued';
      });
    },
    async close(deadLetterId, closing, options) {
      checkAuditOperator('closing', closing);
      return gate.write(options?.tx, (session) => {
        const letter = endDeadLetter(session, deadLetterId, closing.status, closing);
        return typeof letter === 'string' ? letter : 'closed';
      });
    },
    async eraseSubject(erasure, options) {
      checkAuditErasure(erasure);
      return gate.write(options?.tx, (session) => eraseAuditSubject(session, erasure));
    },
    async prune(pruning, options) {
      const after = checkAuditPruning(pruning);
      return gate.write(options?.tx, (session) => pruneAuditEvents(session, pruning, after));
    },
    stats: () => gate.read(undefined, stats),
  };
}
