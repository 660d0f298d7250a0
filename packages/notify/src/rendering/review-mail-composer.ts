import {
  checkedElsewhere,
  checkMailHeaders,
  checkName,
  checkOptions,
  messageIdFor,
  type OptionShape,
  observerShape,
  optional,
} from '@criticizer/core/internal';
import { type Logger, type MailComposer, type MailEnvelope, parseRecipient } from '@criticizer/core/ports';
import { createEnvelopeSender, type EnvelopeFrom } from '../envelope-sender.js';
import { mailbox } from '../option-shapes.js';
import { type ChangeUrl, createChangeLink, type LinkedChange } from './change-link.js';
import { checkLabels } from './check-labels.js';
import { composeCountsMail, composeReviewMail, type MailFrame, ownHeaders } from './compose-review-mail.js';
import type { ReviewMailLabels } from './review-mail-input.js';

/** In whose name review mails are written, and in which words. */
export interface ReviewMailComposerOptions {
  from: { address: string; name?: string | undefined };
  /** Where bounces go: an address, or one for each mail. Default: the address of `from`. */
  envelopeFrom?: EnvelopeFrom | undefined;
  /** Where replies go. Default: `from`, and the mail says that nobody reads them. */
  replyTo?: { address: string; name?: string | undefined } | undefined;
  /**
   * Further headers of every mail: `X-…`, `List-…` and others that name nobody, none that the mail
   * sets itself. They are frozen with it.
   */
  headers?: readonly { name: string; value: string }[] | undefined;
  /**
   * Domain of Message-ID, List-Id and thread root. Keep it for good: a new one makes a new
   * Message-ID for an open mail.
   */
  host: string;
  labels?: Partial<ReviewMailLabels> | undefined;
  /**
   * Where a reader stops these mails: an `https:` or `mailto:` URL, in which `{recipient}` stands
   * for the address. Header `List-Unsubscribe` and the mail's last line. Default: the link of core's
   * `findingLinks`, which answers a POST at once (RFC 8058); without them neither. That link comes first.
   */
  unsubscribe?: string | undefined;
  /**
   * The one link of the mail: a template such as `https://swarm.example.com/changes/{change}`, in
   * which `{server}` may stand beside `{change}`; or a function of the change alone, which gives
   * the same link for the same change. http or https. Where the function throws, or gives anything else, the mail
   * has no link, and `logger` gets one event. Default: no link.
   */
  changeUrl?: ChangeUrl;
  /** Gets `link.change_url_failed`. Default: nothing is logged. */
  logger?: Logger | undefined;
}

const optionShape: OptionShape<ReviewMailComposerOptions> = {
  from: mailbox,
  envelopeFrom: checkedElsewhere,
  replyTo: optional(mailbox),
  headers: checkedElsewhere,
  host: checkName,
  unsubscribe: checkedElsewhere,
  labels: optional(checkLabels),
  changeUrl: checkedElsewhere,
  logger: observerShape.logger,
};

/**
 * The composer that a review service plugs into core: one look, one sender. Throws `TypeError` or
 * `RECIPIENT_INVALID` for wrong options.
 */
export function createReviewMailComposer(options: ReviewMailComposerOptions): MailComposer {
  checkOptions('createReviewMailComposer', options, optionShape);
  const { from, host, labels, replyTo, headers } = options;
  const senderFor = createEnvelopeSender(
    'createReviewMailComposer: envelopeFrom',
    options.envelopeFrom === undefined ? from.address : options.envelopeFrom,
  );
  if (headers !== undefined) checkMailHeaders('createReviewMailComposer: headers', headers, ownHeaders);
  if (replyTo !== undefined) parseRecipient(replyTo.address);
  parseRecipient(from.address);
  messageIdFor('0'.repeat(32), host); // a wrong host is a mistake of now, not of the first mail
  const stopAt = options.unsubscribe === undefined ? undefined : createUnsubscribe(options.unsubscribe);
  if (stopAt !== undefined && headers?.some(({ name }) => name.toLowerCase() === 'list-unsubscribe'))
    throw new TypeError('createReviewMailComposer: headers: List-Unsubscribe is set already, by unsubscribe');
  const { changeUrl, logger } = options;
  const linkTo = createChangeLink(changeUrl, { maker: 'createReviewMailComposer', logger });
  const frame = ({ recipient, key, date, thread, unsubscribeUrl }: MailEnvelope): MailFrame => ({
    recipient,
    from,
    envelopeFrom: senderFor(key),
    replyTo,
    headers,
    host,
    key,
    date,
    thread,
    unsubscribe: unsubscribeUrl ?? stopAt?.(recipient.address),
    unsubscribesAtOnce: unsubscribeUrl?.startsWith('https:') === true,
  });
  const linksTo = (change: LinkedChange) => ({ change: linkTo?.(change) });
  return {
    compose: (content, envelope) =>
      composeReviewMail({ input: { ...content, labels, links: linksTo(content.change) }, ...frame(envelope) }),
    composeCounts: (counts, envelope) =>
      composeCountsMail({ input: { counts, labels, links: linksTo(counts.change) }, ...frame(envelope) }),
  };
}

const MAX_UNSUBSCRIBE_CHARS = 400;

/** The unsubscribe URL of an address. Throws `TypeError` for what readers do not open. */
function createUnsubscribe(template: string): (address: string) => string {
  const fillIn = (address: string): string => template.replaceAll('{recipient}', encodeURIComponent(address));
  const isOpened =
    typeof template === 'string' &&
    template.length <= MAX_UNSUBSCRIBE_CHARS &&
    /^(?:https:\/\/|mailto:)[\x21-\x7e]+$/i.test(template) &&
    !/[<>{}]/.test(fillIn('a')) &&
    URL.canParse(fillIn('a'));
  if (!isOpened)
    throw new TypeError(
      `createReviewMailComposer: unsubscribe: expected an https or mailto URL of at most ${MAX_UNSUBSCRIBE_CHARS} characters, in braces no other name than recipient`,
    );
  return fillIn;
}
