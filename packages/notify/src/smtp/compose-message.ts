import type { FrozenMail } from '@criticizer/core/ports';
import MailComposer from 'nodemailer/lib/mail-composer';
import { breakEncodedWords } from '../encoded-words.js';
import { KEY_HEADER } from '../key-header.js';

const mailbox = ({ address, name = '' }: FrozenMail['to']): { address: string; name: string } => ({
  address,
  name: breakEncodedWords(name),
});

/**
 * The RFC 5322 bytes of a frozen mail: Message-ID, Date and MIME boundary all derive from it, so
 * that every attempt in every process sends the same (NOT-5). Bodies are quoted-printable; nothing
 * is read from files or URLs, whatever the text says. What looks like an encoded word in subject,
 * names or headers stays text. Throws `TypeError` for a mail that cannot be composed.
 */
export async function composeMessage(mail: FrozenMail, key: string): Promise<Buffer> {
  const headers = mail.headers.filter(({ name }) => name.toLowerCase() !== KEY_HEADER.toLowerCase());
  const composer = new MailComposer({
    from: mailbox(mail.from),
    to: mailbox(mail.shown?.to ?? mail.to),
    ...(mail.shown === undefined ? {} : { cc: mail.shown.cc.map(mailbox) }),
    ...(mail.replyTo === undefined ? {} : { replyTo: mailbox(mail.replyTo) }),
    subject: breakEncodedWords(mail.subject),
    messageId: mail.messageId,
    date: mail.date,
    text: mail.text,
    ...(mail.html === '' ? {} : { html: mail.html }),
    attachments: (mail.attachments ?? []).map(({ name, contentType, content }) => ({
      filename: breakEncodedWords(name),
      contentType,
      content: Buffer.from(content),
      contentTransferEncoding: 'base64' as const,
      contentDisposition: 'attachment' as const,
    })),
    headers: [
      ...headers.map(({ name, value }) => ({ key: name, value: breakEncodedWords(value) })),
      { key: KEY_HEADER, value: key },
    ],
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
