import type { FrozenMail } from '../senders/mailer.js';

/** Unfolded, a longer token would make a line that RFC 5322 forbids. */
const MAX_TOKEN_BYTES = 900;
const MAX_HEADER_BYTES = 8_192;
const CONTROL_OR_UNPAIRED = /[\p{Cc}\p{Cs}\u2028\u2029]/u;
const HEADER_NAME = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;
/**
 * Headers that say something of a mail and change nothing about who gets it, who sent it or how its
 * body is read.
 */
const ALLOWED =
  /^(?:x-[a-z0-9-]+|list-(?:id|help|archive|owner|post|subscribe|unsubscribe|unsubscribe-post)|in-reply-to|references|auto-submitted|precedence|importance|priority|sensitivity|keywords|comments|organization|feedback-id|thread-topic|thread-index)$/i;
/** Providers read recipients or the sender out of these. */
const READ_AS_RECIPIENTS =
  /^x-(?:smtpapi|mc-bccaddress|mailgun-recipient-variables|(?:envelope|forwarded|original|rcpt)-(?:to|from)|bcc|cc|receiver|sender|from|to)$/i;

/** True where a mailer may write a header of this name as it is given. */
export function isAllowedHeader(name: string): boolean {
  return HEADER_NAME.test(name) && ALLOWED.test(name) && !READ_AS_RECIPIENTS.test(name);
}

/** True for a value that one header can carry: no control character, no token that a line cannot hold. */
export function fitsHeader(value: string): boolean {
  if (CONTROL_OR_UNPAIRED.test(value) || Buffer.byteLength(value) > MAX_HEADER_BYTES) return false;
  return value.split(' ').every((token) => Buffer.byteLength(token) <= MAX_TOKEN_BYTES);
}

/**
 * Checks headers of a host's own, given as an option. Throws `TypeError` naming the option for a
 * name that is not allowed or is in `taken` (lower case), and for a value that no header can carry.
 */
export function checkMailHeaders(option: string, headers: FrozenMail['headers'], taken: readonly string[] = []): void {
  if (!Array.isArray(headers)) throw new TypeError(`${option}: expected a list of { name, value }`);
  headers.forEach(({ name, value }, at) => {
    if (typeof name !== 'string' || !isAllowedHeader(name))
      throw new TypeError(`${option}[${at}].name: expected X-…, List-… or another header that names nobody`);
    if (taken.includes(name.toLowerCase())) throw new TypeError(`${option}[${at}].name: ${name} is set already`);
    if (typeof value !== 'string' || !fitsHeader(value))
      throw new TypeError(
        `${option}[${at}].value: expected a text without control characters or tokens over 900 bytes`,
      );
  });
}
