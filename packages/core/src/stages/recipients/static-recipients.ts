import { checkFields, type OptionShape } from '../../foundation/check-options.js';
import { checkArray, checkBoolean, checkedElsewhere, checkName, optional } from '../../foundation/option-checks.js';
import type { Recipient, RecipientResolver } from './recipient-resolver.js';

const recipientShape: OptionShape<Recipient> = {
  address: checkName,
  name: checkedElsewhere,
  required: checkBoolean,
  via: optional(checkName),
  reason: optional(checkName),
};

/**
 * The same recipients for every change, `configured` where no `reason` says otherwise. Throws
 * `TypeError` for what is no recipient.
 */
export function createStaticRecipients(recipients: readonly Recipient[]): RecipientResolver {
  checkArray('createStaticRecipients: recipients', recipients);
  for (const [n, recipient] of recipients.entries())
    checkFields(`createStaticRecipients: recipients[${n}]`, recipient, recipientShape);
  const copy = recipients.map((recipient) => ({ ...recipient, reason: recipient.reason ?? 'configured' }));
  const vias = copy.flatMap(({ via }) => (via === undefined ? [] : [via]));
  return { vias, resolve: async () => copy.map((recipient) => ({ ...recipient })) };
}
