// Whether mails leave, and to whom: decorators of the mailer for the first days of a service.
import {
  encodeFrozenMail,
  type FrozenMail,
  type Mailer,
  parseRecipient,
  type SendOutcome,
} from '@criticizer/core/ports';
import type { Delivery, MailConfiguration } from '../config/configuration.js';
import { isInDomains } from '../config/mail-variables.js';

/**
 * Accepts every mail and sends none. Its rows name it, so a mail that was accepted in the shadow is
 * not sent when the service goes live.
 */
export function createShadowMailer(): Mailer {
  return {
    contract: 1,
    id: 'shadow',
    capabilities: { idempotency: 'receiver', lookup: 'none', settleMs: 0, retentionMs: 0 },
    async send(mail, { signal, onPhase }) {
      signal.throwIfAborted();
      await onPhase('envelope');
      // Its egress record names no host: the bytes go nowhere.
      await onPhase('data', { host: 'shadow', bytes: encodeFrozenMail(mail).bytes });
      return { kind: 'accepted', id: mail.messageId };
    },
  };
}

/** Sends every mail to one address, and says in the subject whom it was for. */
export function redirectMails(inner: Mailer, to: string): Mailer {
  const redirected = (mail: FrozenMail): FrozenMail => ({
    ...mail,
    to: { address: to },
    subject: `[for ${mail.to.address}] ${mail.subject}`,
  });
  const { lookup } = inner;
  return {
    ...inner,
    id: `redirect-${inner.id}`,
    destinationId: inner.id, // what stops the one stops the other: the same server gets the bytes
    send: (mail, context) => inner.send(redirected(mail), context),
    ...(lookup === undefined
      ? {}
      : { lookup: (query: Parameters<typeof lookup>[0]) => lookup.call(inner, { ...query, recipient: to }) }),
  };
}

/** Refuses, for good, what would go outside the domains: the last gate before the wire. */
export function guardDomains(inner: Mailer, domains: readonly string[]): Mailer {
  const refusal: SendOutcome = {
    kind: 'rejected',
    permanent: true,
    failure: {
      scope: 'recipient',
      code: 'MAIL_DOMAIN_DENIED',
      category: 'policy',
      message: 'The domain of the recipient is not in MAIL_DOMAINS.',
    },
  };
  return {
    ...inner,
    send: async (mail, context) =>
      isInDomains(parseRecipient(mail.to.address).address, domains) ? inner.send(mail, context) : refusal,
  };
}

/** The mailers for a mode, the one for new mails first. Mails accepted in the shadow stay there. */
export function createDelivery(
  smtp: Mailer,
  { delivery, domains }: Pick<MailConfiguration, 'domains'> & { delivery: Delivery },
): readonly Mailer[] {
  const shadow = createShadowMailer();
  if (delivery.mode === 'shadow') return [shadow];
  const guarded = guardDomains(smtp, domains);
  return [delivery.mode === 'live' ? guarded : redirectMails(guarded, delivery.to), shadow];
}

/** The mode for a person. */
export function describeDelivery(delivery: Delivery): string {
  if (delivery.mode === 'shadow') return 'shadow: nobody is mailed, and nothing is posted';
  return delivery.mode === 'live' ? 'live' : `redirect: every mail goes to ${delivery.to}, and nothing is posted`;
}
