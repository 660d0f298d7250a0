import { type ActorName, type ActorType, nameActor } from '../../foundation/actor.js';
import type { Disposition } from '../../foundation/disposition.js';
import type { NewSuppression, Suppression } from '../suppression-store.js';
import { type Instant, isTrue, type Truth, toDate, toDateOrNull } from './row-values.js';

/** A row of `suppressions`: one with a change is of one finding, any other of a rule. */
export interface SuppressionRow {
  id: string;
  changelist_id: string | null;
  finding_id: string | null;
  covers_secret: Truth;
  rule_id: string | null;
  paths: string | null;
  category: string | null;
  severity: string | null;
  confidence: string | null;
  disposition: Disposition;
  reason: string;
  actor_type: ActorType;
  actor_id: string;
  created_at: Instant;
  expires_at: Instant | null;
  /** When it ended before its expiry, or the expiry of one whose place another has taken. */
  ended_at: Instant | null;
  ended_by_type: ActorType | null;
  ended_by_id: string | null;
}

/** The columns that come from the caller, in the order of the insert. */
export function suppressionValues({ scope, disposition, reason, actor }: NewSuppression) {
  const { type, id } = nameActor(actor);
  const words = [disposition, reason, type, id] as const;
  if (scope.kind === 'finding') {
    const { changelistId, findingId, coversSecret } = scope;
    return [changelistId, findingId, coversSecret ? 1 : 0, null, null, null, null, null, ...words] as const;
  }
  const { ruleId, paths, category, severity, confidence } = scope;
  return [null, null, 0, ruleId, paths, category, severity, confidence, ...words] as const;
}

function scopeOf(row: SuppressionRow): Suppression['scope'] {
  const { changelist_id: changelistId, finding_id: findingId } = row;
  if (changelistId !== null && findingId !== null)
    return { kind: 'finding', changelistId, findingId, coversSecret: isTrue(row.covers_secret) };
  const { rule_id: ruleId, paths, category, severity, confidence } = row;
  return { kind: 'rule', ruleId, paths, category, severity, confidence };
}

/** The suppression as the port shows it. */
export function toSuppression(row: SuppressionRow): Suppression {
  const { ended_by_type: type, ended_by_id: id } = row;
  const withdrawnBy: ActorName | null = type === null || id === null ? null : { type, id };
  return {
    id: row.id,
    scope: scopeOf(row),
    disposition: row.disposition,
    reason: row.reason,
    actor: { type: row.actor_type, id: row.actor_id },
    createdAt: toDate(row.created_at),
    expiresAt: toDateOrNull(row.expires_at),
    withdrawnAt: withdrawnBy === null ? null : toDateOrNull(row.ended_at),
    withdrawnBy,
  };
}
