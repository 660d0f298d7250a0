import { checkText } from '../../foundation/store-input.js';
import {
  checkRequest,
  type Operated,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from '../operation.js';

/** Which suppression to end. */
export interface WithdrawSuppression extends OperatorRequest {
  suppressionId: string;
}

/**
 * Ends a suppression: the next review of a change shows again what it hid (GRD-8). Needs no role, for
 * it hides nothing. `ended`: it had expired or was withdrawn already.
 */
export async function withdrawSuppression<Tx>(
  parts: OperatorParts<Tx>,
  request: WithdrawSuppression,
): Promise<Operated<'withdrawn' | 'ended' | 'not-found'>> {
  checkRequest<WithdrawSuppression>('withdrawSuppression', request, { suppressionId: checkText });
  const { suppressionId, actor, reason } = request;
  return performOperation(parts, {
    action: 'suppression.withdraw',
    targetType: 'suppression',
    targetId: suppressionId,
    actor,
    reason,
    change: (tx) => parts.stores.suppressions.withdraw(suppressionId, actor, { tx }),
    hasChanged: (outcome) => outcome === 'withdrawn',
  });
}
