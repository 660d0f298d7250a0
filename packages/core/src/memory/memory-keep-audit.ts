import type { AuditErasure, AuditEvent, ErasedAuditEvents } from '../stores/audit-store.js';
import type { MemorySession } from './memory-database.js';

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
