import { checkText } from '../../foundation/store-input.js';
import type { ReopenOutcome } from '../../stores/notify-outbox.js';
import {
  checkRequest,
  type Operated,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from '../operation.js';

/** Which outbox row to deliver again. */
export interface ReopenMail extends OperatorRequest {
  /** Id of the outbox row. */
  mailId: string;
}

/**
 * Makes a `failed` or `unknown` outbox row due again, with all its attempts (NOT-9, ruling R23).
 * What was sent or cancelled needs a higher version of the review. Where
 * there is one already, the mail becomes `cancelled`: `superseded`.
 * Where a copy may exist, the next delivery looks it up first (NOT-6).
 */
export async function reopenMail<Tx>(parts: OperatorParts<Tx>, request: ReopenMail): Promise<Operated<ReopenOutcome>> {
  checkRequest<ReopenMail>('reopenMail', request, { mailId: checkText });
  const { mailId, actor, reason } = request;
  return performOperation(parts, {
    action: 'mail.reopen',
    targetType: 'mail',
    targetId: mailId,
    actor,
    reason,
    change: async (tx) => (await parts.stores.outbox.reopen([mailId], { tx }))[0] ?? 'not-found',
    hasChanged: (outcome) => outcome === 'reopened' || outcome === 'superseded',
  });
}
