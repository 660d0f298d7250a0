import { CriticizerError, type DeliveryFailure, type FailureCategory, type SendOutcome } from '@criticizer/core';

/** What is known of a failed SMTP dialogue: codes only. A server's own words may repeat addresses and are not kept. */
export interface SmtpFault {
  /** nodemailer's code: `ECONNECTION`, `ETIMEDOUT`, `EAUTH`, `EENVELOPE`, `EMESSAGE`, … */
  code?: string | undefined;
  /** The command that was in flight: `CONN`, `MAIL FROM`, `RCPT TO`, `DATA`, … */
  command?: string | undefined;
  responseCode?: number | undefined;
  /** RFC 3463, `5.1.1`. */
  enhancedCode?: string | undefined;
}

type Scope = DeliveryFailure['scope'];
interface Verdict {
  scope: Scope;
  code: string;
  category: FailureCategory;
  permanent: boolean;
  retryAfterMs?: number | undefined;
}

const GREYLIST_MS = 300_000;
const MAILBOX_FULL_MS = 1_800_000;
/** Basic and enhanced codes by which a server says: who you are, not what you send. */
const AUTH_CODES = new Set([530, 534, 535, 538]);
const AUTH_ENHANCED = new Set(['5.7.8', '5.7.9', '5.7.11']);
/** The sending domain's set-up (SPF, DKIM, DMARC, reverse DNS): the same for every mail. */
const SENDER_ENHANCED = /^5\.(?:1\.[78]|7\.2[0-9])$/;
const TOO_LARGE = /^5\.(?:2\.3|3\.4)$/;

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
    case 'EMESSAGE':
      return { scope: 'message', code: 'SMTP_TOO_LARGE', category: 'validation', permanent: true };
    case 'EENVELOPE':
      return { scope: 'message', code: 'SMTP_ENVELOPE_INVALID', category: 'validation', permanent: true };
    default:
      return transport('SMTP_CONNECTION', 'network');
  }
}

function recipientDeferred(reply: number, enhanced: string): Verdict {
  const full = enhanced === '4.2.2' || enhanced === '5.2.2' || reply === 552;
  const greylisted = enhanced.startsWith('4.7.') || reply === 450 || reply === 451;
  const retryAfterMs = full ? MAILBOX_FULL_MS : greylisted ? GREYLIST_MS : undefined;
  return {
    scope: 'recipient',
    code: full ? 'SMTP_MAILBOX_FULL' : 'SMTP_RECIPIENT_DEFERRED',
    category: 'upstream',
    permanent: false,
    retryAfterMs,
  };
}

function recipientVerdict(reply: number, enhanced: string): Verdict {
  if (reply < 500 || reply === 552 || enhanced === '5.2.2') return recipientDeferred(reply, enhanced);
  const category = enhanced.startsWith('5.7.') ? 'policy' : enhanced.startsWith('5.1.') ? 'not_found' : 'validation';
  return { scope: 'recipient', code: 'SMTP_RECIPIENT_REFUSED', category, permanent: true };
}

function messageVerdict(reply: number, enhanced: string): Verdict {
  if (/^4\.[34]\./.test(enhanced)) return transport('SMTP_UNAVAILABLE', 'upstream');
  if (reply < 500) return { scope: 'message', code: 'SMTP_MESSAGE_DEFERRED', category: 'upstream', permanent: false };
  if (enhanced.startsWith('5.1.') || enhanced.startsWith('5.2.')) return recipientVerdict(reply, enhanced);
  return { scope: 'message', code: 'SMTP_MESSAGE_REFUSED', category: 'policy', permanent: true };
}

function withReply(fault: SmtpFault, reply: number): Verdict {
  const enhanced = fault.enhancedCode ?? '';
  const permanent = reply >= 500 && reply !== 503;
  // 421 closes the service; 503 says the session was out of step. Neither is about this mail.
  if (reply === 421 || reply === 503) return transport('SMTP_UNAVAILABLE', 'upstream');
  if (TOO_LARGE.test(enhanced)) return { scope: 'message', code: 'SMTP_TOO_LARGE', category: 'validation', permanent: true };
  if (SENDER_ENHANCED.test(enhanced)) return transport('SMTP_SENDER_REFUSED', 'policy', true);
  if (fault.code === 'EMESSAGE') return messageVerdict(reply, enhanced);
  if (fault.command === 'RCPT TO') return recipientVerdict(reply, enhanced);
  if (fault.command === 'MAIL FROM') {
    if (reply === 552) return { scope: 'message', code: 'SMTP_TOO_LARGE', category: 'validation', permanent: true };
    return permanent ? transport('SMTP_SENDER_REFUSED', 'policy', true) : transport('SMTP_SENDER_DEFERRED', 'upstream');
  }
  if (fault.command === 'DATA' && permanent) return { scope: 'message', code: 'SMTP_MESSAGE_REFUSED', category: 'policy', permanent: true };
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
 * Turns a failed dialogue into an outcome (NOT-7, NOT-9). After the first byte of the message, only the server's answer to the end of data
 * is a clear no; silence is `ambiguous`. Before it nothing was sent, and only an answer about the recipient or the message is theirs:
 * greeting, TLS, sender and session faults are the transport's. Throws `SMTP_AUTH` (category `auth`, parks) for refused credentials.
 */
export function outcomeOfFault(fault: SmtpFault, dataReached: boolean): SendOutcome {
  const message = describe(fault);
  const answered = fault.code === 'EMESSAGE' && fault.responseCode !== undefined;
  if (dataReached && !answered) {
    return { kind: 'ambiguous', failure: { scope: 'transport', code: 'SMTP_ANSWER_LOST', category: 'network', message } };
  }
  if (!dataReached && isAuth(fault)) {
    throw new CriticizerError('SMTP_AUTH', `The mail server refused this client's credentials. ${message}`, {
      category: 'auth',
      parks: true,
    });
  }
  const { permanent, retryAfterMs, ...rest } =
    fault.responseCode === undefined ? withoutReply(fault) : withReply(fault, fault.responseCode);
  return { kind: 'rejected', failure: { ...rest, message }, permanent, retryAfterMs };
}
