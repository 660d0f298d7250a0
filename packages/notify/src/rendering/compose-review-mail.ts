import {
  checkedElsewhere,
  checkMailHeaders,
  checkName,
  checkOptions,
  messageIdFor,
  type OptionShape,
  optional,
} from '@criticizer/core/internal';
import { type FrozenMail, parseRecipient } from '@criticizer/core/ports';
import { breakEncodedWords } from '../encoded-words.js';
import { mailbox as mailboxShape } from '../option-shapes.js';
import { renderReviewMail } from './render-review-mail.js';
import type { ReviewMailInput } from './review-mail-input.js';
import { verdictOf } from './review-verdict.js';
import { cut, visibleLine } from './visible-text.js';

/** What one review mail says, to whom, and in whose name. */
export interface ComposeReviewMailOptions {
  input: ReviewMailInput;
  /** One, always. */
  recipient: { address: string; name?: string | undefined };
  /** A fixed address of the service: writing in an author's name fails DMARC. */
  from: { address: string; name?: string | undefined };
  /** Where bounces go; never empty. */
  envelopeFrom: string;
  /** Where replies go; the mail then does not say that nobody reads them. Default: `from`. */
  replyTo?: { address: string; name?: string | undefined } | undefined;
  /** Further headers after the mail's own, such as `List-Unsubscribe`; `X-…`, `List-…` and others that name nobody. */
  headers?: FrozenMail['headers'] | undefined;
  /** Domain of Message-ID, List-Id and thread root. */
  host: string;
  /** The row's, from `outboxKey`. */
  key: string;
  /** Frozen: when the notification was decided, not when it is sent. */
  date: Date;
}

/** Set from the review, in lower case: a second one would contradict them. */
export const ownHeaders: readonly string[] = [
  'in-reply-to',
  'references',
  'auto-submitted',
  'x-auto-response-suppress',
  'list-id',
  'x-criticizer-change',
  'x-criticizer-version',
  'x-criticizer-verdict',
  'x-criticizer-author',
  'x-criticizer-key',
];

const optionShape: OptionShape<ComposeReviewMailOptions> = {
  input: checkedElsewhere,
  recipient: checkedElsewhere, // core's own, which says more of them
  from: mailboxShape,
  envelopeFrom: checkName,
  replyTo: optional(mailboxShape),
  headers: optional((option, value) => checkMailHeaders(option, value as FrozenMail['headers'], ownHeaders)),
  host: checkedElsewhere,
  key: checkedElsewhere,
  date: checkedElsewhere,
};

const MAX_TOKEN_CHARS = 200;

/** One line, no encoded word, every token short enough for a header that cannot be folded inside it. */
function headerText(text: string, maxChars: number): string {
  const line = breakEncodedWords(visibleLine(text, maxChars));
  return line
    .split(' ')
    .map((token) => cut(token, MAX_TOKEN_CHARS))
    .join(' ');
}

/** Lower-case letters, digits and dashes: for the left parts of ids. */
function slug(text: string): string {
  const plain = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return plain.slice(0, 60) || 'server';
}

function mailbox(address: string, name: string | undefined): FrozenMail['to'] {
  const { recipientKey } = parseRecipient(address);
  const shown = name === undefined ? '' : headerText(name, 100);
  return { address: recipientKey, ...(shown === '' ? {} : { name: shown }) };
}

function headersOf({ input, host, key, headers = [] }: ComposeReviewMailOptions): FrozenMail['headers'] {
  const { change } = input;
  const server = slug(change.serverId);
  // Never sent itself: the versions of a change hang under it as one thread.
  const root = `<p4.${server}.${change.number}@${host.toLowerCase()}>`;
  return [
    { name: 'In-Reply-To', value: root },
    { name: 'References', value: root },
    { name: 'Auto-Submitted', value: 'auto-generated' },
    { name: 'X-Auto-Response-Suppress', value: 'All' },
    { name: 'List-Id', value: `Criticizer ${server} <${server}.criticizer.${host.toLowerCase()}>` },
    { name: 'X-Criticizer-Change', value: headerText(change.changelistId, 300) },
    { name: 'X-Criticizer-Version', value: String(input.reviewVersion) },
    { name: 'X-Criticizer-Verdict', value: verdictOf(input).token },
    { name: 'X-Criticizer-Author', value: headerText(change.user, 200) || 'unknown' },
    { name: 'X-Criticizer-Key', value: key },
    ...headers,
  ];
}

/**
 * The whole mail for one recipient, ready to be frozen (NOT-5): deterministic in everything given.
 * Threads all versions of a change, marks itself as automatic (RFC 3834), and carries headers to
 * filter by. Throws `RECIPIENT_INVALID` for an address that is not one plain address, `TypeError`
 * for a wrong key, host or input.
 */
export function composeReviewMail(options: ComposeReviewMailOptions): FrozenMail {
  checkOptions('composeReviewMail', options, optionShape);
  const { input, recipient, from, host, key, date } = options;
  const { subject, text, html } = renderReviewMail({ ...input, readsReplies: options.replyTo !== undefined });
  return {
    messageId: messageIdFor(key, host),
    from: mailbox(from.address, from.name),
    envelopeFrom: parseRecipient(options.envelopeFrom).recipientKey,
    ...(options.replyTo === undefined ? {} : { replyTo: mailbox(options.replyTo.address, options.replyTo.name) }),
    to: mailbox(recipient.address, recipient.name),
    subject: headerText(subject, 250),
    date,
    text,
    html,
    content: 'findings',
    headers: headersOf(options),
  };
}
