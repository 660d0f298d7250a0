import { type AuditPlace, auditPlace } from '@criticizer/core/internal';
import type { AuditPruning, PrunedAuditEvents } from '@criticizer/core/ports';
import type { SqliteSession } from '../shared/sqlite-session.js';
import { asAuditVerb } from './audit-verb.js';

/** Walks the index by time from its older end; what may go is looked up for the page alone. */
const findOld = (isFirst: boolean): string =>
  `SELECT id, occurred_at_utc, created_at_utc FROM audit_events WHERE occurred_at_utc < ?
    ${isFirst ? '' : 'AND (occurred_at_utc, created_at_utc, id) > (?, ?, ?)'}
    ORDER BY occurred_at_utc, created_at_utc, id LIMIT ? + 0`;

const mayGo = `SELECT e.id FROM json_each(?) AS page JOIN audit_events AS e ON e.id = page.value
  WHERE NOT EXISTS (SELECT 1 FROM audit_outbox AS o
      WHERE o.audit_event_id = e.id AND o.delivery_state NOT IN ('delivered', 'dead_lettered'))
    AND NOT EXISTS (SELECT 1 FROM audit_dead_letter AS d WHERE d.audit_event_id = e.id AND (? = 0 OR d.operator_status = 'open'))`;

/** A digest without its salt tells nobody what a guess of the event hashes to. */
const deleteSalts = `UPDATE audit_seal_leaves SET actor_salt = NULL, target_salt = NULL, payload_salt = NULL
  WHERE event_id IN (SELECT value FROM json_each(?))`;

type Old = { id: string; occurred_at_utc: number; created_at_utc: number };

/** Deletes the old events of one page, oldest first, with their deliveries and ended dead letters. */
export function pruneAuditEvents(
  session: SqliteSession,
  { olderThanMs, includeDeadLetters, limit }: AuditPruning,
  after: AuditPlace | null,
): PrunedAuditEvents {
  const place = after === null ? [] : [Number(after[0]), Number(after[1]), after[2]];
  const page = session.all<Old>(findOld(after === null), session.nowMs - olderThanMs, ...place, limit);
  const pageIds = JSON.stringify(page.map(({ id }) => id));
  const gone = session.all<{ id: string }>(mayGo, pageIds, includeDeadLetters ? 1 : 0).map(({ id }) => id);
  const goneIds = JSON.stringify(gone);
  const of = (table: string, column: string): number =>
    session.run(`DELETE FROM ${table} WHERE ${column} IN (SELECT value FROM json_each(?))`, goneIds);
  const [deadLetters, deliveries, events] = asAuditVerb(session, 'prune', () => {
    session.run(deleteSalts, goneIds);
    return [of('audit_dead_letter', 'audit_event_id'), of('audit_outbox', 'audit_event_id'), of('audit_events', 'id')];
  }) as [number, number, number];
  const went = new Set(gone);
  const times = page.filter(({ id }) => went.has(id)).map((row) => row.occurred_at_utc);
  const toDate = (ms: number | undefined): Date | null => (ms === undefined ? null : new Date(ms));
  const last = page.at(-1);
  return {
    ...{ events, deliveries, deadLetters },
    occurredFrom: toDate(times[0]),
    occurredUntil: toDate(times.at(-1)),
    next:
      page.length === limit && last !== undefined
        ? auditPlace(String(last.occurred_at_utc), String(last.created_at_utc), last.id)
        : null,
  };
}
