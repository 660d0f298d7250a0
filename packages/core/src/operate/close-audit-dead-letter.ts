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
  /** `ignored`: the loss is accepted, and `reason` begins with the ticket (AUD-16). */
  status: 'resolved' | 'ignored';
}

/** A ticket as trackers write it: `OPS-12`, `#12`, `studio/ops#12`, or its address. */
const ticket = /^(?:[A-Z][A-Z0-9_]*-\d+|(?:[\w.-]+\/[\w.-]+)?#\d+|https:\/\/\S+)(?=[\s:.,]|$)/;

/** A loss is accepted by a ticket and a note that begins with it, not by a shrug (AUD-16, ruling R2). */
function checkTicket({ status, reason }: CloseAuditDeadLetter): void {
  if (status === 'ignored' && !ticket.test(reason))
    throw new TypeError(
      'closeAuditDeadLetter: reason: expected to begin with a ticket, such as OPS-12, #12 or its https address: the loss of an event is accepted',
    );
}

/**
 * Ends the dead letter of an audit delivery; `reason` becomes its note (AUD-16). Throws `TypeError`
 * for `ignored` with a reason that does not begin with a ticket.
 */
export async function closeAuditDeadLetter<Tx>(
  parts: OperatorParts<Tx>,
  request: CloseAuditDeadLetter,
): Promise<Operated<'closed' | 'not-open' | 'not-found'>> {
  checkRequest<CloseAuditDeadLetter>('closeAuditDeadLetter', request, {
    auditDeadLetterId: checkText,
    status: oneOf('resolved', 'ignored'),
  });
  checkTicket(request);
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
