import type { AuditTrail } from '../audit/audit-trail.js';
import type { Actor } from '../foundation/actor.js';

/**
 * Records that a person read what would leave for a change (OPS-1): who, which change, how many
 * requests; no text of them. Where the event cannot be stored the platform log has its fingerprint
 * (AUD-3). Rejects with what the trail throws; the person then reads nothing.
 */
export async function recordDryRun(
  audit: Pick<AuditTrail<unknown>, 'record'>,
  actor: Actor,
  { serverId, number }: { serverId: string; number: number },
  run: { kind: 'planned'; requests: readonly unknown[] } | { kind: 'skipped'; reason: string },
): Promise<void> {
  const found =
    run.kind === 'planned' ? { kind: run.kind, requests: run.requests.length } : { kind: run.kind, reason: run.reason };
  const recorded = await audit.record({
    actorType: actor.type,
    actorId: actor.id,
    action: 'change.dry_run',
    targetType: 'change',
    targetId: `${serverId}/${number}`,
    resultStatus: 'success',
    payload: { serverId, number, ...found },
  });
  if (recorded.degraded) recorded.logFallback();
}
