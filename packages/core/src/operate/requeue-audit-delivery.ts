import { checkText } from '../foundation/store-input.js';
import {
  checkRequest,
  type Operated,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from './operation.js';

/** Which dead letter of an audit delivery to send again. */
export interface RequeueAuditDelivery extends OperatorRequest {
  /** Id of the `audit_dead_letter` row. */
  auditDeadLetterId: string;
}

/** Makes a fresh delivery of an audit event, under the next version of its key (AUD-16). */
export async function requeueAuditDelivery<Tx>(
  parts: OperatorParts<Tx>,
  request: RequeueAuditDelivery,
): Promise<Operated<'requeued' | 'not-open' | 'not-found'>> {
  checkRequest<RequeueAuditDelivery>('requeueAuditDelivery', request, {
    auditDeadLetterId: checkText,
  });
  const { auditDeadLetterId, actor, reason } = request;
  return performOperation(parts, {
    action: 'audit.delivery.requeue',
    targetType: 'audit_dead_letter',
    targetId: auditDeadLetterId,
    actor,
    reason,
    change: (tx) => parts.stores.audit.requeue(auditDeadLetterId, { actor, note: reason }, { tx }),
    hasChanged: (outcome) => outcome === 'requeued',
  });
}
