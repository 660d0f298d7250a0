import type { AuditErasure, ErasedAuditEvents } from '@criticizer/core/ports';
import type { SqliteSession } from '../shared/sqlite-session.js';
import { asAuditVerb } from './audit-verb.js';

const ofActor = 'SELECT id FROM audit_events WHERE actor_id = ? LIMIT ? + 0';
const ofTarget = 'SELECT id FROM audit_events WHERE target_id = ? LIMIT ? + 0';
const ofTargetType = `SELECT id FROM audit_events WHERE target_id = ? AND target_type IN (SELECT value FROM json_each(?)) LIMIT ? + 0`;

/** The ids of the next page: events of which the person is the actor, then the target; `isFull`: there may be more. */
function findEvents(
  session: SqliteSession,
  { subjectId, targetTypes, limit }: AuditErasure,
): { ids: string[]; isFull: boolean } {
  const acted = session.all<{ id: string }>(ofActor, subjectId, limit);
  const left = limit - acted.length;
  const suffered =
    targetTypes === null
      ? session.all<{ id: string }>(ofTarget, subjectId, left)
      : session.all<{ id: string }>(ofTargetType, subjectId, JSON.stringify(targetTypes), left);
  // An event of a person on themselves is found twice, so the number of ids does not tell.
  const isFull = acted.length + suffered.length === limit;
  return { ids: [...new Set([...acted, ...suffered].map(({ id }) => id))], isFull };
}

/** Blanks a person in one event. */
function eraseEvent(session: SqliteSession, id: string, erasure: AuditErasure): void {
  const { subjectId, targetTypes, payload, payloadSha256 } = erasure;
  session.run(
    `UPDATE audit_events SET source_ip = CASE WHEN actor_id = ?1 THEN NULL ELSE source_ip END,
        user_agent = CASE WHEN actor_id = ?1 THEN NULL ELSE user_agent END, actor_id = nullif(actor_id, ?1),
        target_id = CASE WHEN ?2 IS NULL OR target_type IN (SELECT value FROM json_each(?2)) THEN nullif(target_id, ?1) ELSE target_id END,
        payload_redacted = ?3, payload_hash_sha256 = ?4 WHERE id = ?5`,
    ...[subjectId, targetTypes === null ? null : JSON.stringify(targetTypes)],
    ...[JSON.stringify(payload), payloadSha256, id],
  );
  session.run(
    'UPDATE audit_outbox SET last_error_message = NULL WHERE audit_event_id = ? AND last_error_message IS NOT NULL',
    id,
  );
}

/** Without its salt a digest says nothing of what is blank now; what is not blank stays proven by its own. */
const deleteSalts = `UPDATE audit_seal_leaves SET payload_salt = NULL,
    actor_salt = CASE WHEN e.actor_id IS NULL AND e.source_ip IS NULL AND e.user_agent IS NULL THEN NULL ELSE actor_salt END,
    target_salt = CASE WHEN e.target_id IS NULL THEN NULL ELSE target_salt END
  FROM audit_events AS e WHERE e.id = audit_seal_leaves.event_id AND event_id = ?`;

/**
 * Blanks a person in one page of events, in their deliveries' errors and in the letters that the
 * person ended.
 */
export function eraseAuditSubject(session: SqliteSession, erasure: AuditErasure): ErasedAuditEvents {
  const { subjectId, limit } = erasure;
  const { ids: eventIds, isFull } = findEvents(session, erasure);
  asAuditVerb(session, 'erase', () => {
    for (const id of eventIds) {
      eraseEvent(session, id, erasure);
      session.run(deleteSalts, id);
    }
  });
  const sent = eventIds.flatMap((id) =>
    session.all<{ destination: string; key: string }>(
      `SELECT destination, idempotency_key AS key FROM audit_outbox
        WHERE audit_event_id = ? AND last_attempt_at_utc IS NOT NULL`,
      id,
    ),
  );
  const deadLetters = session.run(
    `UPDATE audit_dead_letter SET operator_id = NULL
      WHERE id IN (SELECT id FROM audit_dead_letter WHERE operator_id = ? LIMIT ? + 0)`,
    ...[subjectId, limit],
  );
  return {
    eventIds,
    sent: sent.map(({ destination, key }) => ({ destination, idempotencyKey: key })),
    deadLetters,
    hasMore: isFull || deadLetters === limit,
  };
}
