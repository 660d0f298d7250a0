import type { AuditErasure, ErasedAuditEvents } from '@criticizer/core/ports';
import type { PgSession } from '../shared/pg-session.js';

const ofActor = 'SELECT id FROM {schema}.audit_events WHERE actor_id = $1 LIMIT $2';
const ofTarget = 'SELECT id FROM {schema}.audit_events WHERE target_id = $1 LIMIT $2';
const ofTargetType = `SELECT id FROM {schema}.audit_events WHERE target_id = $1 AND target_type = ANY ($3::text[]) LIMIT $2`;

/** The ids of the next page: events of which the person is the actor, then the target; `isFull`: there may be more. */
async function findEvents(
  session: PgSession,
  { subjectId, targetTypes, limit }: AuditErasure,
): Promise<{ ids: string[]; isFull: boolean }> {
  const acted = await session.all<{ id: string }>(ofActor, subjectId, limit);
  const left = limit - acted.length;
  const suffered =
    left === 0
      ? []
      : targetTypes === null
        ? await session.all<{ id: string }>(ofTarget, subjectId, left)
        : await session.all<{ id: string }>(ofTargetType, subjectId, left, targetTypes);
  // An event of a person on themselves is found twice, so the number of ids does not tell.
  const isFull = acted.length + suffered.length === limit;
  return { ids: [...new Set([...acted, ...suffered].map(({ id }) => id))], isFull };
}

/**
 * Blanks a person in one page of events, in their deliveries' errors and in the letters that the
 * person ended. The events are changed by `erase_audit_events`, which alone may.
 */
export async function eraseAuditSubject(session: PgSession, erasure: AuditErasure): Promise<ErasedAuditEvents> {
  const { subjectId, targetTypes, payload, payloadSha256, limit } = erasure;
  const { ids: wanted, isFull } = await findEvents(session, erasure);
  const erased =
    wanted.length === 0
      ? []
      : await session.all<{ id: string }>(
          'SELECT id::text AS id FROM {schema}.erase_audit_events($1, $2::text[], $3::uuid[], $4::jsonb, $5) AS e(id)',
          ...[subjectId, targetTypes, wanted, JSON.stringify(payload), payloadSha256],
        );
  const eventIds = erased.map(({ id }) => id);
  await session.run(
    `UPDATE {schema}.audit_outbox SET last_error_message = NULL
      WHERE audit_event_id = ANY ($1::uuid[]) AND last_error_message IS NOT NULL`,
    eventIds,
  );
  const sent = await session.all<{ destination: string; key: string }>(
    `SELECT destination, idempotency_key AS key FROM {schema}.audit_outbox
      WHERE audit_event_id = ANY ($1::uuid[]) AND last_attempt_at_utc IS NOT NULL`,
    eventIds,
  );
  const deadLetters = await session.run(
    `UPDATE {schema}.audit_dead_letter SET operator_id = NULL
      WHERE id IN (SELECT id FROM {schema}.audit_dead_letter WHERE operator_id = $1 LIMIT $2)`,
    ...[subjectId, limit],
  );
  return {
    eventIds,
    sent: sent.map(({ destination, key }) => ({ destination, idempotencyKey: key })),
    deadLetters,
    hasMore: isFull || deadLetters === limit,
  };
}
