import type { Actor } from '../../foundation/actor.js';
import { CriticizerError } from '../../foundation/errors.js';
import { checkMs } from '../../foundation/store-input.js';
import type { NewSuppression, Suppression, SuppressionAdded } from '../../stores/suppression-store.js';
import { type Operated, type Operation, type OperatorParts, performOperation } from '../operation.js';

/** Who may hide more than one finding of one change, and for how long (`settings.review.suppressions`). */
export interface SuppressionPolicy {
  /** Names of roles: who has one of them may suppress by a rule, and hide a withheld credential. */
  roles: readonly string[];
  /** The longest life of a suppression by a rule, in milliseconds. */
  maxRuleMs: number;
}

/** The suppression that hides from now on: the one that was added, or the one that was there. */
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

/** The one that hides from now on. Throws `SUPPRESSIONS_FULL` (conflict), which undoes the transaction. */
function requireRoom(added: SuppressionAdded): Exclude<SuppressionAdded, { outcome: 'full' }> {
  if (added.outcome !== 'full') return added;
  throw new CriticizerError('SUPPRESSIONS_FULL', 'Too many suppressions are in force; withdraw some of them.', {
    category: 'conflict',
  });
}

/** The parts that an addition needs. */
export interface AdditionParts<Tx> extends Pick<OperatorParts<Tx>, 'audit'> {
  stores: Pick<OperatorParts<Tx>['stores'], 'storeId' | 'transaction' | 'suppressions'>;
}

/** Adds a suppression with the event that `event` names, in one transaction. */
export async function addSuppression<Tx>(
  parts: AdditionParts<Tx>,
  suppression: NewSuppression,
  event: Pick<Operation<Tx, unknown>, 'action' | 'targetType' | 'targetId' | 'payload'>,
): Promise<Suppressed> {
  const { actor, reason } = suppression;
  const { outcome: added, audit } = await performOperation<Tx, ReturnType<typeof requireRoom>>(parts, {
    ...event,
    actor,
    reason,
    change: async (tx) => requireRoom(await parts.stores.suppressions.add(suppression, { tx })),
    hasChanged: ({ outcome }) => outcome === 'added',
    describe: ({ suppression: { id } }) => ({ suppressionId: id }),
  });
  return { ...added, audit };
}
