import { optional } from '../../foundation/option-checks.js';
import { checkText } from '../../foundation/store-input.js';
import {
  checkRequest,
  type Operated,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from '../operation.js';

/** Which outbox row was sent after all, and how that is known. */
export interface ConfirmMail extends OperatorRequest {
  /** Id of the outbox row. */
  mailId: string;
  /** What proves it: 1 to 8,192 characters. Stands in the audit event. */
  evidence: string;
  /** The provider's id of the mail, where it is known: 1 to 1,024 characters. Default `confirmed:` and the row's id. */
  notificationId?: string | undefined;
}

/**
 * Takes an `unknown` mail for sent (ruling R23): its recipient counts as notified, and reconciliation
 * leaves the row out. Any other status is `not-unknown`.
 */
export async function confirmMail<Tx>(
  parts: OperatorParts<Tx>,
  request: ConfirmMail,
): Promise<Operated<'confirmed' | 'not-unknown' | 'not-found'>> {
  checkRequest<ConfirmMail>('confirmMail', request, {
    mailId: checkText,
    evidence: (option, value) => checkText(option, value, 8_192),
    notificationId: optional((option, value) => checkText(option, value, 1_024)),
  });
  const { mailId, evidence, notificationId = `confirmed:${mailId}`, actor, reason } = request;
  return performOperation(parts, {
    action: 'mail.confirm',
    targetType: 'mail',
    targetId: mailId,
    payload: { evidence, notificationId },
    actor,
    reason,
    change: (tx) => parts.stores.outbox.confirm(mailId, { notificationId }, { tx }),
    hasChanged: (outcome) => outcome === 'confirmed',
  });
}
