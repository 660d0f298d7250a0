import { checkOptions } from '../../foundation/check-options.js';
import { checkName, oneOf, optional } from '../../foundation/option-checks.js';
import type { RecipientResolver } from './recipient-resolver.js';

/**
 * Mails the people that the Perforce server names: the change's user, who is required, and by
 * `reviewers` those who subscribed to its paths: `none` (default), `optional`, or `required`. A user
 * without a mail address is left out; a change with nobody to mail completes without mail (INT-3).
 * All go by the mailer `via`; default the first one. Throws `TypeError` for other options.
 */
export function createChangeRecipients(
  options: { reviewers?: 'none' | 'optional' | 'required' | undefined; via?: string | undefined } = {},
): RecipientResolver {
  checkOptions<typeof options>('createChangeRecipients', options, {
    reviewers: optional(oneOf('none', 'optional', 'required')),
    via: optional(checkName),
  });
  const { reviewers = 'none', via } = options;
  return {
    vias: via === undefined ? [] : [via],
    async resolve({ change }) {
      const author =
        change.userMail === null
          ? []
          : [{ address: change.userMail, name: change.user, required: true, via, reason: 'author' }];
      if (reviewers === 'none') return author;
      const required = reviewers === 'required';
      return [...author, ...change.reviewerMails.map((address) => ({ address, required, via, reason: 'reviewer' }))];
    },
  };
}
