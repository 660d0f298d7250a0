import { checkBoolean, checkName, oneOf } from '../../foundation/option-checks.js';
import { parseRecipient } from '../../outbox/recipient-key.js';
import { type MailChoice, mailChoices } from '../../stores/preference-store.js';
import { digestAuditSubject } from '../audit/subject-digest.js';
import {
  checkRequest,
  type Operated,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from '../operation.js';

/** What one person wants of review mails from now on. */
export interface SetMailPreference extends OperatorRequest {
  /** One plain address. */
  address: string;
  /** `all`; `high`: reviews with a high or critical finding; `off`: none. */
  mails: MailChoice;
  /** True: counts and the link alone, whatever the policy allows. */
  linkOnly: boolean;
}

/**
 * Sets what a person gets. With `off`, mails of reviews that wait for this person are cancelled, and
 * none of them is required any more (ruling R22); `high` concerns later reviews alone. The audit event
 * names the person by a digest. Rejects with `RECIPIENT_INVALID` for what is no address.
 */
export async function setMailPreference<Tx>(
  parts: OperatorParts<Tx>,
  request: SetMailPreference,
): Promise<Operated<'set' | 'unchanged'>> {
  checkRequest<SetMailPreference>('setMailPreference', request, {
    address: checkName,
    mails: oneOf(...mailChoices),
    linkOnly: checkBoolean,
  });
  const { address, mails, linkOnly, actor, reason } = request;
  const { recipientKey } = parseRecipient(address);
  const { preferences, outbox } = parts.stores;
  return performOperation(parts, {
    action: 'mail.preference.set',
    targetType: 'recipient',
    targetId: digestAuditSubject(recipientKey),
    payload: { mails, linkOnly },
    actor,
    reason,
    async change(tx) {
      const outcome = await preferences.set(recipientKey, { mails, linkOnly }, actor, { tx });
      // Also where nothing changed: a mail may have been stored since.
      if (mails === 'off') await outbox.withdraw(recipientKey, { tx });
      return outcome;
    },
    hasChanged: (outcome) => outcome === 'set',
  });
}
