import { oneOf } from '../foundation/option-checks.js';
import { checkText } from '../foundation/store-input.js';
import {
  checkRequest,
  type Operated,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from './operation.js';

/** Which dead letter of an audit delivery to end, and how. */
export interface CloseAuditDeadLetter extends OperatorRequest {
  /** Id of the `audit_dead_letter` row. */
  auditDeadLetterId: string;
  /** `ignored`: the loss is accepted, and `reason` names the ticket (AUD-16). */
  status: 'resolved' | 'ignored';
}

/** Ends the dead letter of an audit delivery; `reason` becomes its note (AUD-16). */
export async function closeAuditDeadLetter<Tx>(
  parts: OperatorParts<Tx>,
  request: CloseAuditDeadLetter,
): Promise<Operated<'closed' | 'not-open' | 'not-found'>> {
  checkRequest<CloseAuditDeadLetter>('closeAuditDeadLetter', request, {
    auditDeadLetterId: checkText,
    status: oneOf('resolved', 'ignored'),
  });
  const { auditDeadLetterId, status, actor, reason } = request;
  return performOperation(parts, {
    action: 'audit.delivery.close',
    targetType: 'audit_dead_letter',
    targetId: auditDeadLetterId,
    payload: { status },
    actor,
    reason,
    change: (tx) => parts.stores.audit.close(auditDeadLetterId, { status, actor, note: reason }, { tx }),
    hasChanged: (outcome) => outcome === 'closed',
  });
}
