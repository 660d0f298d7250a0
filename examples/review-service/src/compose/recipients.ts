import { createChangeRecipients, isCriticizerError, type Logger, type RecipientResolver } from '@criticizer/core';
import { parseRecipient } from '@criticizer/core/ports';
import type { Configuration, RecipientSource } from '../config/configuration.js';
import { isInDomains } from '../config/environment.js';

function findAddress(user: string, source: RecipientSource): string | null {
  if (source.kind === 'map') return source.addresses[user] ?? null;
  if (source.kind === 'perforce') return null;
  try {
    return parseRecipient(source.template.replace('{user}', user)).address;
  } catch (error) {
    if (isCriticizerError(error)) return null; // a user name that no address can hold
    throw error;
  }
}

/**
 * Who gets a mail: the author by the configured source, and where `reviewers` is true those that
 * Perforce names. Addresses outside `domains` are left out and counted in the log, so that no row is
 * made for them.
 */
export function createRecipients(
  { recipients: source, reviewers, domains }: Pick<Configuration['mail'], 'recipients' | 'reviewers' | 'domains'>,
  logger: Logger,
): RecipientResolver {
  const byPerforce = createChangeRecipients({ reviewers: reviewers ? 'optional' : 'none' });
  return {
    vias: [],
    async resolve(request, options) {
      const { change } = request;
      const mail = source.kind === 'perforce' ? change.userMail : findAddress(change.user, source);
      const named = await byPerforce.resolve({ ...request, change: { ...change, userMail: mail } }, options);
      const inside = named.filter(({ address }) => isInDomains(address, domains));
      const left = named.length - inside.length;
      if (left > 0)
        logger.warn(
          { event: 'recipients.left_out', changelistId: change.changelistId, left },
          'recipients outside MAIL_DOMAINS are not mailed',
        );
      return inside;
    },
  };
}
