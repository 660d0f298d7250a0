import type { Actor } from '../../foundation/actor.js';
import { CriticizerError } from '../../foundation/errors.js';
import { checkMs } from '../../foundation/store-input.js';
import type { Suppression, SuppressionAdded } from '../../stores/suppression-store.js';
import type { Operated } from '../operation.js';

/** Who may hide more than one finding of one change, and for how long (`settings.review.suppressions`). */
export interface SuppressionPolicy {
  /** Names of roles: who has one of them may suppress by a rule, and hide a withheld credential. */
  roles: readonly string[];
  /** The longest life of a suppression by a rule, in milliseconds. */
  maxRuleMs: number;
}

/** A suppression that stands: the one that was added, or the one that was there. */
export type Suppressed = Operated<'added' | 'exists'> & { suppression: Suppression };

/** Throws `SUPPRESSION_DENIED` (policy) where the actor has none of the roles. */
export function requireRole(actor: Actor, { roles }: SuppressionPolicy, action: string): void {
  if ((actor.roles ?? []).some((role) => roles.includes(role))) return;
  throw new CriticizerError('SUPPRESSION_DENIED', `${action} needs one of the roles of review.suppressions.roles.`, {
    category: 'policy',
    details: { action, actorType: actor.type, roles },
  });
}

/** Throws `TypeError` for a life that is not from 1 to `most` milliseconds. */
export function checkLife(option: string, value: unknown, most: number): void {
  checkMs(option, value, 1);
  if ((value as number) > most) throw new TypeError(`${option}: expected milliseconds from 1 to ${most}`);
}

/** What stands after an addition. Throws `SUPPRESSIONS_FULL` (conflict), which undoes the transaction. */
export function requireRoom(added: SuppressionAdded): Exclude<SuppressionAdded, { outcome: 'full' }> {
  if (added.outcome !== 'full') return added;
  throw new CriticizerError('SUPPRESSIONS_FULL', 'Too many suppressions are in force; withdraw some of them.', {
    category: 'conflict',
  });
}
