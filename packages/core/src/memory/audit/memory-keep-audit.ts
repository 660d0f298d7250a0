import type {
  AuditErasure,
  AuditEvent,
  AuditPruning,
  ErasedAuditEvents,
  PrunedAuditEvents,
} from '../../stores/audit-store.js';
import { auditPlace, checkAuditPruning } from '../../stores/input/audit-keeping.js';
import type { MemorySession } from '../shared/memory-database.js';

/** Without its salt a digest says nothing of what is blank now; what is not blank stays proven by its own. */
function deleteSalts({ tables }: MemorySession, event: AuditEvent): void {
  const leaf = tables.auditSealLeaves.get(event.id);
  if (leaf === undefined) return;
  const hasActor = event.actorId !== null || event.sourceIp !== null || event.userAgent !== null;
  const actorSalt = hasActor ? leaf.actorSalt : null;
  const targetSalt = event.targetId === null ? null : leaf.targetSalt;
  tables.auditSealLeaves.put(event.id, { ...leaf, actorSalt, targetSalt, payloadSalt: null });
}

/** Blanks a person in one page of events, in their deliveries' errors and in the letters that the person ended. */
export function eraseAuditSubject(session: MemorySession, erasure: AuditErasure): ErasedAuditEvents {
  const { tables } = session;
  const { subjectId, targetTypes, payload, payloadSha256, limit } = erasure;
  const isTarget = (id: string | null, type: string | null): boolean =>
    id === subjectId && (targetTypes === null || (type !== null && targetTypes.includes(type)));
  const found = tables.auditEvents
    .rows()
    .filter(({ actorId, targetId, targetType }) => actorId === subjectId || isTarget(targetId, targetType))
    .slice(0, limit);
  for (const event of found) {
    const blankActor = event.actorId === subjectId ? { actorId: null, sourceIp: null, userAgent: null } : {};
    const blankTarget = isTarget(event.targetId, event.targetType) ? { targetId: null } : {};
    const blank = { payload: structuredClone(payload), payloadSha256 };
    const erased = { ...event, ...blankActor, ...blankTarget, ...blank };
    tables.auditEvents.put(event.id, erased);
    deleteSalts(session, erased);
  }
  const ids = new Set(found.map(({ id }) => id));
  const held = tables.auditDeliveries.rows().filter(({ delivery }) => ids.has(delivery.auditEventId));
  for (const row of held) tables.auditDeliveries.put(row.delivery.id, { ...row, errorMessage: null });
  const letters = tables.auditDeadLetters.rows().filter(({ operatorId }) => operatorId === subjectId);
  const ended = letters.slice(0, limit);
  for (const letter of ended) tables.auditDeadLetters.put(letter.id, { ...letter, operatorId: null });
  return {
    eventIds: [...ids],
    sent: held
      .filter(({ wasClaimed }) => wasClaimed)
      .map(({ delivery: { destination, idempotencyKey } }) => ({ destination, idempotencyKey })),
    deadLetters: ended.length,
    hasMore: found.length === limit || ended.length === limit,
  };
}

/** The place of an event in the order of pruning. */
const placeOf = ({ occurredAt, createdAt, id }: AuditEvent): string =>
  auditPlace(occurredAt.toISOString(), createdAt.toISOString(), id);

/** Deletes the old events of one page, oldest first, with their deliveries and ended dead letters. */
export function pruneAuditEvents(session: MemorySession, pruning: AuditPruning): PrunedAuditEvents {
  const { tables, now } = session;
  checkAuditPruning(pruning);
  const { olderThanMs, includeDeadLetters, limit, after } = pruning;
  const old = tables.auditEvents.rows().filter(({ occurredAt }) => now.getTime() - occurredAt.getTime() > olderThanMs);
  const placed = old.map((event) => ({ event, place: placeOf(event) })).sort((a, b) => (a.place < b.place ? -1 : 1));
  const page = placed.filter(({ place }) => after === null || place > after).slice(0, limit);
  const ids = new Set(page.map(({ event }) => event.id));
  const deliveries = tables.auditDeliveries.rows().filter(({ delivery }) => ids.has(delivery.auditEventId));
  const letters = tables.auditDeadLetters.rows().filter(({ auditEventId }) => ids.has(auditEventId));
  for (const { delivery } of deliveries)
    if (delivery.state !== 'delivered' && delivery.state !== 'dead_lettered') ids.delete(delivery.auditEventId);
  for (const letter of letters)
    if (!includeDeadLetters || letter.operatorStatus === 'open') ids.delete(letter.auditEventId);
  const gone = page.filter(({ event }) => ids.has(event.id)).map(({ event }) => event);
  const goneDeliveries = deliveries.filter(({ delivery }) => ids.has(delivery.auditEventId));
  const goneLetters = letters.filter(({ auditEventId }) => ids.has(auditEventId));
  for (const { id } of gone) {
    tables.auditEvents.remove(id);
    const leaf = tables.auditSealLeaves.get(id);
    const noSalts = { actorSalt: null, targetSalt: null, payloadSalt: null };
    if (leaf !== undefined) tables.auditSealLeaves.put(id, { ...leaf, ...noSalts });
  }
  for (const { delivery } of goneDeliveries) tables.auditDeliveries.remove(delivery.id);
  for (const { id } of goneLetters) tables.auditDeadLetters.remove(id);
  return {
    events: gone.length,
    deliveries: goneDeliveries.length,
    deadLetters: goneLetters.length,
    occurredFrom: gone[0]?.occurredAt ?? null,
    occurredUntil: gone.at(-1)?.occurredAt ?? null,
    next: page.length === limit ? (page.at(-1)?.place ?? null) : null,
  };
}
