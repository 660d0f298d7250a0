import { oneOf } from '../../foundation/option-checks.js';
import { checkText } from '../../foundation/store-input.js';
import {
  checkRequest,
  type Operated,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from '../operation.js';

/** Which dead letter to end, and how. */
export interface CloseDeadLetter extends OperatorRequest {
  deadLetterId: string;
  status: 'resolved' | 'ignored';
}

/**
 * Ends a dead letter; `reason` becomes its note. `resolved` is refused with `not-all-notified` while
 * a required mail of the job was not sent (ruling R17).
 */
export async function closeDeadLetter<Tx>(
  parts: OperatorParts<Tx>,
  request: CloseDeadLetter,
): Promise<Operated<'closed' | 'already-closed' | 'not-all-notified' | 'not-found'>> {
  checkRequest<CloseDeadLetter>('closeDeadLetter', request, {
    deadLetterId: checkText,
    status: oneOf('resolved', 'ignored'),
  });
  const { deadLetterId, status, actor, reason } = request;
  return performOperation(parts, {
    action: 'dead_letter.close',
    targetType: 'dead_letter',
    targetId: deadLetterId,
    payload: { status },
    actor,
    reason,
    change: (tx) => parts.stores.deadLetters.close(deadLetterId, { status, actor, note: reason }, { tx }),
    hasChanged: (outcome) => outcome === 'closed',
  });
}
