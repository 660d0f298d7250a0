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
  type Instant,
  sweepLimit,
  toAuditDeadLetter,
  toAuditDelivery,
  toAuditEvent,
  toMs,
} from '@criticizer/core/internal';
import type { Actor, AuditDeliveryState, AuditEvent, AuditStore, Page, TimeSpan } from '@criticizer/core/ports';
import { epochMs } from '../shared/instants.js';
import { asUuidOrNone, type Condition, listByPlace, listByRowId } from '../shared/list-rows.js';
import type { PgTx } from '../shared/pg-database.js';
import type { PgFacet } from '../shared/pg-facet.js';
import { asUuid, type PgSession } from '../shared/pg-session.js';
import { auditLetterColumns, deliveryColumns, eventColumns } from './audit-row.js';
import {
  claimDeliveries,
  leaseOwner,
  renewDeliveries,
  requeueExpiredDeliveries,
  settleDelivery,
} from './deliver-audit.js';
import { eraseAuditSubject } from './erase-subject.js';
import { pruneAuditEvents } from './prune-audit.js';
import { addDeliveries, recordAudit } from './record-audit.js';

/** `open` to another status with who and why; the rest of a dead letter never changes (AUD-16). */
async function endDeadLetter(
  session: PgSession,
  id: string,
  status: 'requeued' | 'ignored' | 'resolved',
  by: { actor: Actor; note: string },
): Promise<AuditDeadLetterRow | 'not-open' | 'not-found'> {
  const row = await session.first<AuditDeadLetterRow>(
    `UPDATE {schema}.audit_dead_letter AS d SET operator_status = $2, operator_note = $3, operator_id = $4,
      updated_at_utc = greatest(d.updated_at_utc, {now}) WHERE d.id = $1 AND d.operator_status = 'open' RETURNING ${auditLetterColumns}`,
    ...[asUuid(id), status, by.note, by.actor.id],
  );
  if (row !== undefined) return row;
  const known = await session.first('SELECT 1 FROM {schema}.audit_dead_letter WHERE id = $1', asUuid(id));
  return known === undefined ? 'not-found' : 'not-open';
}

const placeOfEvent = (column: string): string =>
  `(SELECT p.${column} FROM {schema}.audit_events AS p WHERE p.id = ?::uuid)`;

const events = {
  select: `SELECT ${eventColumns} FROM {schema}.audit_events AS e`,
  orderBy: 'e.occurred_at_utc DESC, e.created_at_utc DESC, e.id DESC',
  find: 'SELECT 1 FROM {schema}.audit_events WHERE id = $1',
  behind: `(e.occurred_at_utc, e.created_at_utc, e.id)
    < (${placeOfEvent('occurred_at_utc')}, ${placeOfEvent('created_at_utc')}, ?::uuid)`,
  at: 'e.occurred_at_utc',
};

const letters = {
  select: `SELECT ${auditLetterColumns} FROM {schema}.audit_dead_letter AS d`,
  orderBy: 'd.dead_lettered_at_utc DESC, d.id DESC',
  find: 'SELECT 1 FROM {schema}.audit_dead_letter WHERE id = $1',
  behind: `(d.dead_lettered_at_utc, d.id)
    < ((SELECT p.dead_lettered_at_utc FROM {schema}.audit_dead_letter AS p WHERE p.id = ?::uuid), ?::uuid)`,
  at: 'd.dead_lettered_at_utc',
};

const deliveries = { select: `SELECT ${deliveryColumns} FROM {schema}.audit_outbox AS o`, id: 'o.id' };

/** Names the predicate of the partial index, so that it serves every state but `delivered`. */
function inState(state: AuditDeliveryState | undefined): Condition {
  const [isOpen, equals] = ["o.delivery_state <> 'delivered'", 'o.delivery_state = ?'];
  return [state === 'delivered' ? equals : `${isOpen} AND ${equals}`, state];
}

/** The same page; what is no uuid names no row, and is no error of the database. */
function checkedPlace<Filter extends Page & TimeSpan>(filter: Filter): Filter {
  return typeof filter.before === 'string' ? { ...filter, before: asUuid(filter.before) } : filter;
}

const stats = `SELECT destination, sum(pending)::int AS pending, sum(letters)::int AS letters, ${epochMs('min(oldest)')} AS oldest,
    ${epochMs('min(letter_at)')} AS letter_at, ${epochMs('{now}')} AS now_at FROM (
    SELECT destination, count(*) AS pending, 0 AS letters, min(created_at_utc) AS oldest, NULL::timestamptz AS letter_at
      FROM {schema}.audit_outbox WHERE delivery_state IN ('pending', 'retry_wait', 'in_progress') GROUP BY destination
    UNION ALL
    SELECT destination, 0, count(*), NULL, min(dead_lettered_at_utc) FROM {schema}.audit_dead_letter
      WHERE operator_status = 'open' GROUP BY destination) AS counts
  GROUP BY destination ORDER BY destination COLLATE "C"`;

type StatsRow = {
  destination: string;
  pending: number;
  letters: number;
  oldest: Instant | null;
  letter_at: Instant | null;
  now_at: Instant;
};

// long: the verbs of the facet, one after the other
/**
 * `audit_events`, `audit_outbox` and `audit_dead_letter` on PostgreSQL (AUD-1). `record` with a
 * `tx` runs under a savepoint, so that a failure leaves the transaction usable; after a
 * serialization failure (`PG_SERIALIZATION_FAILURE`) nothing can, and the host's COMMIT fails
 * (R12).
 */
export function createPgAuditStore({ storeId, gate, idTail }: PgFacet): AuditStore<PgTx> {
  return {
    storeId,
    async record(event, destinations, options): Promise<AuditEvent> {
      checkNewAuditEvent(event, destinations);
      return gate.together(options?.tx, (session) => recordAudit(session, event, destinations, idTail));
    },
    async get(id) {
      const row = await gate.single(undefined, (session) =>
        session.first<AuditEventRow>(
          `SELECT ${eventColumns} FROM {schema}.audit_events AS e WHERE e.id = $1`,
          asUuid(id),
        ),
      );
      return row === undefined ? null : toAuditEvent(row);
    },
    async list(filter) {
      const rows = await listByPlace<AuditEventRow>(gate, events, checkedPlace(filter), [
        ['e.action = ?', filter.action],
        ['e.actor_id = ?', filter.actorId],
        ['e.tenant_id = ?', filter.tenantId],
      ]);
      return rows.map(toAuditEvent);
    },
    async claim(request) {
      checkLeaseRequest(request);
      return gate.together(undefined, (session) => claimDeliveries(session, request), { soft: true });
    },
    async heartbeat(leases, leaseMs) {
      checkMs('leaseMs', leaseMs, 1);
      if (leases.length === 0) return [];
      const renewed = await gate.together(undefined, (session) => renewDeliveries(session, leases, leaseMs), {
        soft: true,
      });
      return leases.map((lease) =>
        renewed.has(`${asUuid(lease.deliveryId)} ${leaseOwner(lease)}`) ? 'renewed' : 'lease-lost',
      );
    },
    async settle(settlements) {
      for (const [n, settlement] of settlements.entries()) checkAuditSettlement(settlement, `settlements[${n}]`);
      if (settlements.length === 0) return [];
      return gate.together(undefined, async (session) => {
        const outcomes = new Map<number, 'settled' | 'lease-lost'>();
        // In the order of ids, so that two calls cannot deadlock; calls about one row keep their order.
        const order = [...settlements.entries()].sort(([, a], [, b]) =>
          Buffer.compare(Buffer.from(a.lease.deliveryId), Buffer.from(b.lease.deliveryId)),
        );
        for (const [n, settlement] of order) outcomes.set(n, await settleDelivery(session, settlement, idTail));
        return settlements.map((_, n) => outcomes.get(n) ?? 'lease-lost');
      });
    },
    async requeueExpired(options) {
      const limit = sweepLimit(options?.limit);
      return gate.together(undefined, (session) => requeueExpiredDeliveries(session, limit), { soft: true });
    },
    async listDeliveries(filter) {
      const rows = await listByRowId<AuditDeliveryRow>(gate, deliveries, filter, [
        inState(filter.state),
        ['o.destination = ?', filter.destination],
        ['o.audit_event_id = ?', asUuidOrNone(filter.auditEventId)],
      ]);
      return rows.map(toAuditDelivery);
    },
    async listDeadLetters(filter) {
      const rows = await listByPlace<AuditDeadLetterRow>(gate, letters, checkedPlace(filter), [
        ['d.operator_status = ?', filter.operatorStatus],
        ['d.destination = ?', filter.destination],
      ]);
      return rows.map(toAuditDeadLetter);
    },
    async requeue(deadLetterId, by, options) {
      checkAuditOperator('by', by);
      return gate.together(options?.tx, async (session) => {
        const letter = await endDeadLetter(session, deadLetterId, 'requeued', by);
        if (typeof letter === 'string') return letter;
        const event = await session.first<{ schema_version: number }>(
          'SELECT schema_version FROM {schema}.audit_events WHERE id = $1',
          letter.audit_event_id,
        );
        if (event === undefined) return 'not-found';
        await addDeliveries(
          session,
          { id: letter.audit_event_id, schemaVersion: event.schema_version },
          [letter.destination],
          idTail,
        );
        return 'requeued';
      });
    },
    async close(deadLetterId, closing, options) {
      checkAuditOperator('closing', closing);
      return gate.together(options?.tx, async (session) => {
        const letter = await endDeadLetter(session, deadLetterId, closing.status, closing);
        return typeof letter === 'string' ? letter : 'closed';
      });
    },
    async eraseSubject(erasure, options) {
      checkAuditErasure(erasure);
      return gate.together(options?.tx, (session) => eraseAuditSubject(session, erasure));
    },
    async prune(pruning, options) {
      const after = checkAuditPruning(pruning);
      return gate.together(options?.tx, (session) => pruneAuditEvents(session, pruning, after));
    },
    async stats() {
      const rows = await gate.single(undefined, (session) => session.all<StatsRow>(stats));
      return rows.map(({ destination, pending, letters, oldest, letter_at: letterAt, now_at: nowAt }) => {
        const ageOf = (at: Instant | null): number => (at === null ? 0 : Math.max(0, toMs(nowAt) - toMs(at)));
        return {
          destination,
          pending,
          deadLettersOpen: letters,
          oldestPendingMs: ageOf(oldest),
          oldestDeadLetterMs: ageOf(letterAt),
        };
      });
    },
  };
}
