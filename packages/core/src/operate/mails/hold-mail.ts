import { checkText } from '../../foundation/store-input.js';
import {
  checkRequest,
  type Operated,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from '../operation.js';

/** Which outbox row to hold, or to let go. */
export interface HoldMail extends OperatorRequest {
  /** Id of the outbox row. */
  mailId: string;
}

/** Keeps a `pending` mail from being delivered until `releaseMail`. One that is being sent is not held. */
export async function holdMail<Tx>(
  parts: OperatorParts<Tx>,
  request: HoldMail,
): Promise<Operated<'held' | 'not-pending' | 'not-found'>> {
  checkRequest<HoldMail>('holdMail', request, { mailId: checkText });
  const { mailId, actor, reason } = request;
  return performOperation(parts, {
    action: 'mail.hold',
    targetType: 'mail',
    targetId: mailId,
    actor,
    reason,
    change: (tx) => parts.stores.outbox.hold(mailId, { tx }),
    hasChanged: (outcome) => outcome === 'held',
  });
}

/** Makes a `held` mail due now. */
export async function releaseMail<Tx>(
  parts: OperatorParts<Tx>,
  request: HoldMail,
): Promise<Operated<'released' | 'not-held' | 'not-found'>> {
  checkRequest<HoldMail>('releaseMail', request, { mailId: checkText });
  const { mailId, actor, reason } = request;
  return performOperation(parts, {
    action: 'mail.release',
    targetType: 'mail',
    targetId: mailId,
    actor,
    reason,
    change: (tx) => parts.stores.outbox.release(mailId, { tx }),
    hasChanged: (outcome) => outcome === 'released',
  });
}
