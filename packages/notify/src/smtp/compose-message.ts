import type { FrozenMail } from '@criticizer/core/ports';
import MailComposer from 'nodemailer/lib/mail-composer';

/** The header by which journals and searches find a mail where a server replaces the Message-ID. */
export const KEY_HEADER = 'X-Criticizer-Key';

/**
 * The RFC 5322 bytes of a frozen mail: Message-ID, Date and MIME boundary all derive from it, so
 * that every attempt in every process sends the same (NOT-5). Bodies are quoted-printable; nothing
 * is read from files or URLs, whatever the text says. Throws `TypeError` for a mail that cannot be
 * composed.
 */
export async function composeMessage(mail: FrozenMail, key: string): Promise<Buffer> {
  const headers = mail.headers.filter(({ name }) => name.toLowerCase() !== KEY_HEADER.toLowerCase());
  const composer = new MailComposer({
    from: { address: mail.from.address, name: mail.from.name ?? '' },
    to: { address: mail.to.address, name: mail.to.name ?? '' },
    ...(mail.replyTo === undefined
      ? {}
      : { replyTo: { address: mail.replyTo.address, name: mail.replyTo.name ?? '' } }),
    subject: mail.subject,
    messageId: mail.messageId,
    date: mail.date,
    text: mail.text,
    ...(mail.html === '' ? {} : { html: mail.html }),
    headers: [...headers.map(({ name, value }) => ({ key: name, value })), { key: KEY_HEADER, value: key }],
    baseBoundary: key,
    encoding: 'quoted-printable',
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    return await composer.compile().build();
  } catch (error) {
    throw new TypeError('composeMessage: the mail cannot be composed', { cause: error });
  }
}
