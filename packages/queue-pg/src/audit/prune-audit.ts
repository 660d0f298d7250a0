import { type AuditPlace, auditPlace, type Instant, toDateOrNull } from '@criticizer/core/internal';
import type { AuditPruning, PrunedAuditEvents } from '@criticizer/core/ports';
import { epochMs, span } from '../shared/instants.js';
import type { PgSession } from '../shared/pg-session.js';

const asText = (column: string): string => `to_char(e.${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** Walks the index by time from its older end; what may go is for the function to say. */
const findOld = (isFirst: boolean): string =>
  `SELECT e.id::text AS id, ${asText('occurred_at_utc')} AS occurred, ${asText('created_at_utc')} AS created
    FROM {schema}.audit_events AS e WHERE e.occurred_at_utc < {now} - ${span('$1::float8')}
    ${isFirst ? '' : 'AND (e.occurred_at_utc, e.created_at_utc, e.id) > ($3::timestamptz, $4::timestamptz, $5::uuid)'}
    ORDER BY e.occurred_at_utc, e.created_at_utc, e.id LIMIT $2`;

type Pruned = Pick<PrunedAuditEvents, 'events' | 'deliveries'> & {
  letters: number;
  occurred_from: Instant | null;
  occurred_until: Instant | null;
};

/** Deletes the old events of one page by `prune_audit_events`, which alone may. */
export async function pruneAuditEvents(
  session: PgSession,
  { olderThanMs, includeDeadLetters, limit }: AuditPruning,
  after: AuditPlace | null,
): Promise<PrunedAuditEvents> {
  const page = await session.all<{ id: string; occurred: string; created: string }>(
    findOld(after === null),
    ...[olderThanMs, limit, ...(after ?? [])],
  );
  const last = page.at(-1);
  const none = { events: 0, deliveries: 0, deadLetters: 0, occurredFrom: null, occurredUntil: null, next: null };
  if (last === undefined) return none;
  const pruned = await session.first<Pruned>(
    `SELECT events, deliveries, letters, ${epochMs('occurred_from')} AS occurred_from, ${epochMs('occurred_until')} AS occurred_until
      FROM {schema}.prune_audit_events($1::uuid[], {now} - ${span('$2::float8')}, $3)`,
    ...[page.map(({ id }) => id), olderThanMs, includeDeadLetters],
  );
  if (pruned === undefined) return none;
  return {
    events: pruned.events,
    deliveries: pruned.deliveries,
    deadLetters: pruned.letters,
    occurredFrom: toDateOrNull(pruned.occurred_from),
    occurredUntil: toDateOrNull(pruned.occurred_until),
    next: page.length === limit ? auditPlace(last.occurred, last.created, last.id) : null,
  };
}
