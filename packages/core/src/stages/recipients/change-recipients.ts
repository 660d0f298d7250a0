import { checkOptions } from '../../foundation/check-options.js';
import { checkBoolean, checkName, optional } from '../../foundation/option-checks.js';
import type { RecipientResolver } from './recipient-resolver.js';

/**
 * Whom the Perforce server names: the change's user (required) and its reviewers (not required
 * unless `reviewersRequired`). A user without a mail address is left out; a change nobody can be
 * told of completes without mail (INT-3). All go by the mailer `via`; default the first one.
 */
export function createChangeRecipients(
  options: { reviewersRequired?: boolean | undefined; via?: string | undefined } = {},
): RecipientResolver {
  checkOptions<typeof options>('createChangeRecipients', options, {
    reviewersRequired: optional(checkBoolean),
    via: optional(checkName),
  });
  const { via } = options;
  const required = options.reviewersRequired ?? false;
  return {
    vias: via === undefined ? [] : [via],
    async resolve({ change }) {
      const author =
        change.userMail === null ? [] : [{ address: change.userMail, name: change.user, required: true, via }];
      return [...author, ...change.reviewerMails.map((address) => ({ address, required, via }))];
    },
  };
}
