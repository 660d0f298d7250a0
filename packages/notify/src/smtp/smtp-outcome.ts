import { CriticizerError, type DeliveryFailure, type FailureCategory, type SendOutcome } from '@criticizer/core/ports';
import type { ReplySubject } from './smtp-reply-text.js';

/** What is known of a failed SMTP dialogue: codes only. A server's own words may repeat addresses and are not kept. */
export interface SmtpFault {
  /**
   * nodemailer's code (`ECONNECTION`, `ETIMEDOUT`, `EAUTH`, `EENVELOPE`, `EMESSAGE`, …), or
   * `EUTF8`: SMTPUTF8 is needed and not offered.
   */
  code?: string | undefined;
  /** The command that was in flight: `CONN`, `MAIL FROM`, `RCPT TO`, `DATA`, … */
  command?: string | undefined;
  responseCode?: number | undefined;
  /** RFC 3463, `5.1.1`. */
  enhancedCode?: string | undefined;
  /** What the reply's words add to its codes. */
  about?: ReplySubject | undefined;
  /** True once the session had logged in. */
  isLoggedIn?: boolean | undefined;
}

type Scope = DeliveryFailure['scope'];
interface Verdict {
  scope: Scope;
  code: string;
  category: FailureCategory;
  permanent: boolean;
  retryAfterMs?: number | undefined;
}

/** How long a temporary no usually lasts: greylisting and busy servers, full mailboxes. */
const DEFERRED_MS = 300_000;
const MAILBOX_FULL_MS = 1_800_000;
/** Basic and enhanced codes by which a server asks for a login or refuses it. */
const AUTH_CODES = new Set([530, 534, 535, 538]);
const AUTH_ENHANCED = new Set(['5.7.3', '5.7.8', '5.7.9', '5.7.11', '5.7.57']);
const TOO_LARGE = /^5\.(?:2\.3|3\.4)$/;
/** RFC 6531: the next hop takes no address outside ASCII. */
const UTF8_UNSUPPORTED = /^[45]\.6\.7$/;
// Enhanced codes that are the same for every mail of this sender. Those of RFC 3463 and 7372, and
// of Exchange Online and Gmail.
const CLIENT_ENHANCED = /^5\.7\.(?:54|64)$/;
/** SPF, DKIM, DMARC, reverse DNS; no right to send as this address; a banned address, tenant or host. */
const SENDER_ENHANCED = /^5\.(?:1\.[78]|2\.252|7\.(?:2\d|60|50\d|51[15]|60[6-9]|6[1-4]\d|7[0-5]\d))$/;
/** A day's or a tenant's quota is used up. */
const RATE_ENHANCED = /^5\.(?:1\.90|4\.5|7\.23[23])$/;
/** Exchange: who may write to this group or mailbox. */
const RECIPIENT_ENHANCED = /^5\.7\.(?:12\d|13\d|193)$/;
/** Codes about an address, a mailbox, a size or a content: words do not turn them into the sender's. */
const SPEAKS_FOR_ITSELF = /^[45]\.(?:1\.[1-6]|1\.10|2\.[013-9]|3\.|6\.)/;

const transport = (code: string, category: FailureCategory, permanent = false): Verdict => ({
  scope: 'transport',
  code,
  category,
  permanent,
});

function withoutReply(fault: SmtpFault): Verdict {
  switch (fault.code) {
    case 'EDNS':
      return transport('SMTP_DNS', 'network');
    case 'ETLS':
    case 'EREQUIRETLS':
      return transport('SMTP_TLS', 'network');
    case 'ETIMEDOUT':
      return transport('SMTP_TIMEOUT', 'network');
    case 'EUTF8':
      return fault.command === 'MAIL FROM' ? transport('SMTP_SENDER_REFUSED', 'policy', true) : utf8Unsupported(true);
    case 'EMESSAGE':
      return { scope: 'message', code: 'SMTP_TOO_LARGE', category: 'validation', permanent: true };
    case 'EENVELOPE':
      return { scope: 'message', code: 'SMTP_ENVELOPE_INVALID', category: 'validation', permanent: true };
    default:
      return transport('SMTP_CONNECTION', 'network');
  }
}

function utf8Unsupported(permanent: boolean): Verdict {
  return {
    scope: 'recipient',
    code: 'SMTP_UTF8_UNSUPPORTED',
    category: 'validation',
    permanent,
    retryAfterMs: permanent ? undefined : DEFERRED_MS,
  };
}

/**
 * Refusals that every mail of this sender meets: relay rules, blocks, the domain's set-up, quotas.
 * They wait and alert, and fail no recipient.
 */
function senderVerdict({ about, enhancedCode = '', isLoggedIn }: SmtpFault, reply: number): Verdict | undefined {
  if (RECIPIENT_ENHANCED.test(enhancedCode)) return undefined;
  const hasWords = about !== undefined && !SPEAKS_FOR_ITSELF.test(enhancedCode);
  const retryAfterMs = DEFERRED_MS;
  const permanent = reply >= 500;
  if (RATE_ENHANCED.test(enhancedCode) || (hasWords && about === 'rate'))
    return { ...transport('SMTP_RATE_LIMITED', 'rate_limit', permanent), retryAfterMs };
  if (SENDER_ENHANCED.test(enhancedCode)) return transport('SMTP_SENDER_REFUSED', 'policy', permanent);
  if (enhancedCode.endsWith('.2.2')) return undefined; // a full mailbox, whatever the words
  const wantsLogin = about === 'access' && isLoggedIn !== true && (enhancedCode === '5.7.1' || enhancedCode === '');
  if (CLIENT_ENHANCED.test(enhancedCode) || wantsLogin || (hasWords && about === 'client'))
    return { ...transport('SMTP_CLIENT_REFUSED', 'policy', permanent), retryAfterMs };
  return hasWords && about === 'sender'
    ? { ...transport('SMTP_SENDER_REFUSED', 'policy', permanent), retryAfterMs }
    : undefined;
}

const isFull = (reply: number, enhanced: string): boolean =>
  /^[45]\.2\.2$/.test(enhanced) || (reply === 552 && !enhanced.startsWith('5.7.') && !enhanced.startsWith('5.6.'));

/** The server's own disk, queue or network: nothing about this mail. */
function serverBusy(): Verdict {
  return { ...transport('SMTP_UNAVAILABLE', 'upstream'), retryAfterMs: DEFERRED_MS };
}

function recipientVerdict(reply: number, enhanced: string): Verdict {
  const scope = 'recipient';
  if (isFull(reply, enhanced))
    return { scope, code: 'SMTP_MAILBOX_FULL', category: 'upstream', permanent: false, retryAfterMs: MAILBOX_FULL_MS };
  if (/^4\.[34]\./.test(enhanced)) return serverBusy();
  if (reply < 500)
    return {
      scope,
      code: 'SMTP_RECIPIENT_DEFERRED',
      category: 'upstream',
      permanent: false,
      retryAfterMs: DEFERRED_MS,
    };
  const category = enhanced.startsWith('5.7.') ? 'policy' : enhanced.startsWith('5.1.') ? 'not_found' : 'validation';
  return { scope, code: 'SMTP_RECIPIENT_REFUSED', category, permanent: true };
}

/** The answer to the whole message. Servers also say here what others say at RCPT. */
function messageVerdict(reply: number, enhanced: string): Verdict {
  if (/^[45]\.[12]\./.test(enhanced)) return recipientVerdict(reply, enhanced);
  if (/^4\.[34]\./.test(enhanced)) return serverBusy();
  if (reply < 500)
    return {
      scope: 'message',
      code: 'SMTP_MESSAGE_DEFERRED',
      category: 'upstream',
      permanent: false,
      retryAfterMs: DEFERRED_MS,
    };
  return { scope: 'message', code: 'SMTP_MESSAGE_REFUSED', category: 'policy', permanent: true };
}

function mailFromVerdict(reply: number, enhanced: string): Verdict {
  if (reply === 552 && enhanced === '')
    return { scope: 'message', code: 'SMTP_TOO_LARGE', category: 'validation', permanent: true };
  return reply >= 500
    ? transport('SMTP_SENDER_REFUSED', 'policy', true)
    : transport('SMTP_SENDER_DEFERRED', 'upstream');
}

function withReply(fault: SmtpFault, reply: number): Verdict {
  const enhanced = fault.enhancedCode ?? '';
  const permanent = reply >= 500 && reply !== 503;
  // 421 closes the service; 503 says the session was out of step. Neither is about this mail.
  if (reply === 421 || reply === 503) return transport('SMTP_UNAVAILABLE', 'upstream');
  if (TOO_LARGE.test(enhanced))
    return { scope: 'message', code: 'SMTP_TOO_LARGE', category: 'validation', permanent: true };
  if (UTF8_UNSUPPORTED.test(enhanced)) return utf8Unsupported(permanent);
  const sender = senderVerdict(fault, reply);
  if (sender !== undefined) return sender;
  if (fault.code === 'EMESSAGE') return messageVerdict(reply, enhanced);
  if (fault.command === 'RCPT TO') return recipientVerdict(reply, enhanced);
  if (fault.command === 'MAIL FROM') return mailFromVerdict(reply, enhanced);
  if (fault.command === 'DATA' && permanent)
    return { scope: 'message', code: 'SMTP_MESSAGE_REFUSED', category: 'policy', permanent: true };
  return transport('SMTP_UNAVAILABLE', 'upstream', permanent);
}

function describe(fault: SmtpFault): string {
  const at = fault.command ?? 'the session';
  if (fault.responseCode === undefined) return `No reply at ${at} (${fault.code ?? 'unknown'}).`;
  return `The server answered ${at} with ${fault.responseCode}${fault.enhancedCode === undefined ? '' : ` ${fault.enhancedCode}`}.`;
}

function isAuth(fault: SmtpFault): boolean {
  if (fault.responseCode !== undefined && fault.responseCode < 500) return false;
  if (fault.code === 'EAUTH' || fault.code === 'ENOAUTH') return true;
  return AUTH_CODES.has(fault.responseCode ?? 0) || AUTH_ENHANCED.has(fault.enhancedCode ?? '');
}

/**
 * Turns a failed dialogue into an outcome (NOT-7, NOT-9). After the first byte of the message, only
 * the server's answer to the end of data is a clear no; silence is `ambiguous`. Before it nothing
 * was sent, and only an answer about the recipient or the message is theirs: greeting, TLS, relay
 * rules, sender, quota and session faults are the transport's. Temporary answers carry
 * `retryAfterMs`. Throws `SMTP_AUTH` (category `auth`, parks) for refused or missing credentials.
 */
export function outcomeOfFault(fault: SmtpFault, dataReached: boolean): SendOutcome {
  const message = describe(fault);
  const answered = fault.code === 'EMESSAGE' && fault.responseCode !== undefined;
  if (dataReached && !answered) {
    return {
      kind: 'ambiguous',
      failure: { scope: 'transport', code: 'SMTP_ANSWER_LOST', category: 'network', message },
    };
  }
  if (isAuth(fault)) {
    throw new CriticizerError('SMTP_AUTH', `The mail server refused this client's credentials. ${message}`, {
      category: 'auth',
      parks: true,
    });
  }
  const { permanent, retryAfterMs, ...rest } =
    fault.responseCode === undefined ? withoutReply(fault) : withReply(fault, fault.responseCode);
  return { kind: 'rejected', failure: { ...rest, message }, permanent, retryAfterMs };
}
