import { createRecipientRules, isCriticizerError, type Logger, type RecipientResolver } from '@criticizer/core';
import { type ContextReader, parseRecipient } from '@criticizer/core/ports';
import type { MailConfiguration, RecipientSource } from '../config/configuration.js';
import { isInDomains } from '../config/mail-variables.js';

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
 * Who gets a mail: the author by the configured source, where `reviewers` is true those that Perforce
 * names, and whom `rules` name; owners are read by the readers. Addresses outside `domains` are left
 * out and counted in the log, so that no row is made for them.
 */
export function createRecipients(
  {
    recipients: source,
    reviewers,
    domains,
    rules,
  }: Pick<MailConfiguration, 'recipients' | 'reviewers' | 'domains' | 'rules'>,
  logger: Logger,
  readers: readonly ContextReader[] = [],
): RecipientResolver {
  const owners = rules.owners === undefined || readers.length === 0 ? undefined : rules.owners;
  const byRules = createRecipientRules({
    reviewers: reviewers ? 'optional' : 'none',
    owners: owners && { ...owners, reader: readers, domains },
    rules: rules.lists.length === 0 ? undefined : rules.lists,
    logger,
  });
  return {
    vias: [],
    async resolve(request, options) {
      const { change } = request;
      const mail = source.kind === 'perforce' ? change.userMail : findAddress(change.user, source);
      const named = await byRules.resolve({ ...request, change: { ...change, userMail: mail } }, options);
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
