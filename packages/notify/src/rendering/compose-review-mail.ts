import {
  checkedElsewhere,
  checkMailHeaders,
  checkName,
  checkOptions,
  messageIdFor,
  type OptionShape,
  optional,
} from '@criticizer/core/internal';
import { type ContentLevel, type FrozenMail, type MailThread, parseRecipient } from '@criticizer/core/ports';
import { mailbox as mailboxShape } from '../option-shapes.js';
import { headerText, slugServer } from './header-text.js';
import { threadHeaders } from './mail-thread.js';
import { decideCountsVerdict, renderCountsMail } from './render-counts-mail.js';
import { type RenderedMail, renderReviewMail } from './render-review-mail.js';
import { type CountsMailInput, isKnownReason, type ReviewMailInput } from './review-mail-input.js';
import { type Verdict, verdictOf } from './review-verdict.js';

/** To whom a review mail goes, and in whose name. */
export interface MailFrame {
  /** One, always. */
  recipient: { address: string; name?: string | undefined; reason?: string | undefined };
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
  /** The thread of the change's earlier mails; its subject is kept where its content is of this mail's level. */
  thread?: MailThread | undefined;
  /**
   * Where a reader stops these mails, an https or mailto URL: the header `List-Unsubscribe` and a
   * line at the end of the mail. Default: neither.
   */
  unsubscribe?: string | undefined;
  /** True: a POST to `unsubscribe` acts at once, as RFC 8058 has it, which a header then says. */
  unsubscribesAtOnce?: boolean | undefined;
  /** Frozen: when the mail is composed, never the time of an attempt. */
  date: Date;
}

/** What one review mail says, to whom, and in whose name. */
export interface ComposeReviewMailOptions extends MailFrame {
  input: ReviewMailInput;
}

/** What one mail of counts says, to whom, and in whose name. */
export interface ComposeCountsMailOptions extends MailFrame {
  input: CountsMailInput;
}

/** Set from the review, in lower case: a second one would contradict them. */
export const ownHeaders: readonly string[] = [
  'in-reply-to',
  'references',
  'thread-topic',
  'thread-index',
  'precedence',
  'auto-submitted',
  'x-auto-response-suppress',
  'list-id',
  'x-criticizer-change',
  'x-criticizer-version',
  'x-criticizer-verdict',
  'x-criticizer-author',
  'x-criticizer-reason',
  'x-criticizer-key',
];

const frameShape: OptionShape<MailFrame> = {
  recipient: checkedElsewhere, // core's own, which says more of them
  from: mailboxShape,
  envelopeFrom: checkName,
  replyTo: optional(mailboxShape),
  thread: checkedElsewhere,
  unsubscribe: checkedElsewhere,
  unsubscribesAtOnce: checkedElsewhere,
  headers: optional((option, value) => checkMailHeaders(option, value as FrozenMail['headers'], ownHeaders)),
  host: checkedElsewhere,
  key: checkedElsewhere,
  date: checkedElsewhere,
};
const optionShape: OptionShape<ComposeReviewMailOptions> = { ...frameShape, input: checkedElsewhere };
const countsShape: OptionShape<ComposeCountsMailOptions> = { ...frameShape, input: checkedElsewhere };

function mailbox(address: string, name: string | undefined): FrozenMail['to'] {
  const { recipientKey } = parseRecipient(address);
  const shown = name === undefined ? '' : headerText(name, 100);
  return { address: recipientKey, ...(shown === '' ? {} : { name: shown }) };
}

/** What the review itself puts into a mail. */
interface MailBody {
  rendered: RenderedMail;
  content: ContentLevel;
  change: Pick<ReviewMailInput['change'], 'serverId' | 'number' | 'changelistId'>;
  reviewVersion: number;
  verdict: Verdict;
  /** Null where the mail may not name the change's user. */
  author: string | null;
  reason: string | undefined;
}

function listHeaders(
  { change, reviewVersion, verdict, author, reason = '' }: MailBody,
  { host, key, unsubscribe, unsubscribesAtOnce, headers = [] }: MailFrame,
  subject: string,
): FrozenMail['headers'] {
  const server = slugServer(change.serverId);
  const why = headerText(reason, 200);
  return [
    ...threadHeaders({ change, reviewVersion }, { host, subject }),
    { name: 'Auto-Submitted', value: 'auto-generated' },
    { name: 'X-Auto-Response-Suppress', value: 'All' },
    { name: 'Precedence', value: 'bulk' },
    { name: 'List-Id', value: `Criticizer ${server} <${server}.criticizer.${host.toLowerCase()}>` },
    ...(unsubscribe === undefined ? [] : [{ name: 'List-Unsubscribe', value: `<${unsubscribe}>` }]),
    ...(unsubscribesAtOnce === true ? [{ name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' }] : []),
    { name: 'X-Criticizer-Change', value: headerText(change.changelistId, 300) },
    { name: 'X-Criticizer-Version', value: String(reviewVersion) },
    { name: 'X-Criticizer-Verdict', value: verdict.token },
    ...(author === null ? [] : [{ name: 'X-Criticizer-Author', value: headerText(author, 200) || 'unknown' }]),
    ...(why === '' ? [] : [{ name: 'X-Criticizer-Reason', value: why }]),
    { name: 'X-Criticizer-Key', value: key },
    ...headers,
  ];
}

function assembleMail(frame: MailFrame, body: MailBody): FrozenMail {
  const { recipient, from, host, key, date, replyTo, thread } = frame;
  const { content, rendered } = body;
  const subject = thread?.content === content ? thread.subject : headerText(rendered.subject, 250);
  return {
    messageId: messageIdFor(key, host),
    from: mailbox(from.address, from.name),
    envelopeFrom: parseRecipient(frame.envelopeFrom).recipientKey,
    ...(replyTo === undefined ? {} : { replyTo: mailbox(replyTo.address, replyTo.name) }),
    to: mailbox(recipient.address, recipient.name),
    subject,
    date,
    text: rendered.text,
    html: rendered.html,
    content,
    headers: listHeaders(body, frame, subject),
  };
}

/**
 * The whole mail for one recipient, ready to be frozen (NOT-5): deterministic in everything given.
 * Threads all versions of a change under one subject, marks itself as automatic (RFC 3834), and
 * carries headers to filter by. Throws `RECIPIENT_INVALID` for an address that is not one plain address, `TypeError`
 * for a wrong key, host or input.
 */
export function composeReviewMail(options: ComposeReviewMailOptions): FrozenMail {
  checkOptions('composeReviewMail', options, optionShape);
  const { change, reviewVersion } = options.input;
  const { reason } = options.recipient;
  const links = { ...options.input.links, unsubscribe: options.unsubscribe };
  const input = { ...options.input, links, reason, readsReplies: options.replyTo !== undefined };
  const rendered = renderReviewMail(input);
  const about = { change, reviewVersion, verdict: verdictOf(input), author: change.user, reason };
  const content = input.result.findings.some(({ excerpt }) => excerpt !== undefined) ? 'code' : 'findings';
  return assembleMail(options, { rendered, content, ...about });
}

/**
 * The same for a recipient who gets no findings (ruling R21): no path, no text of the change or the
 * model, no user, in no part and no header. Throws as `composeReviewMail`.
 */
export function composeCountsMail(options: ComposeCountsMailOptions): FrozenMail {
  checkOptions('composeCountsMail', options, countsShape);
  const { change, reviewVersion } = options.input.counts;
  // A host's own words may name a path.
  const reason = isKnownReason(options.recipient.reason) ? options.recipient.reason : undefined;
  const links = { ...options.input.links, unsubscribe: options.unsubscribe };
  const input = { ...options.input, links, reason, readsReplies: options.replyTo !== undefined };
  const rendered = renderCountsMail(input);
  const about = { change, reviewVersion, verdict: decideCountsVerdict(input), author: null, reason };
  return assembleMail(options, { rendered, content: 'counts', ...about });
}
