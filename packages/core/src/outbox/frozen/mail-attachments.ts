import { z } from 'zod';
import type { MailAttachment } from '../senders/mailer.js';

const mostAttachments = 20;
/** Of all attachments of one mail. Servers refuse what is much larger, once Base64 has made it a third longer. */
const mostBytes = 10_000_000;

/** Readers save under this name: no path, nothing that hides its end, no name of a folder. */
const fileName = z
  .string()
  .min(1)
  .max(200)
  .refine(
    (name) => !/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029/\\]/u.test(name) && name !== '.' && name !== '..',
    'not a plain file name',
  );
const contentType = z
  .string()
  .max(127)
  .regex(/^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/i)
  // A part that is read as a message or as several parts would bring headers of its own.
  .refine((type) => !/^(?:multipart|message)\//i.test(type), 'a type that holds messages');

/** Attachments as they are frozen: their bytes as Base64. */
export const attachmentsSchema = z
  .array(z.strictObject({ name: fileName, contentType, content: z.base64() }))
  .max(mostAttachments)
  .refine(
    (files) => files.reduce((sum, { content }) => sum + Buffer.byteLength(content, 'base64'), 0) <= mostBytes,
    `more than ${mostBytes} bytes together`,
  );

/** In the order of their members, as canonical JSON has them. Throws `TypeError` for content that is no bytes. */
export function encodeAttachments(files: readonly MailAttachment[]): z.infer<typeof attachmentsSchema> {
  return files.map(({ name, contentType: type, content }, at) => {
    if (!(content instanceof Uint8Array))
      throw new TypeError(`encodeFrozenMail: attachments[${at}].content: expected a Uint8Array`);
    return { name, contentType: type, content: Buffer.from(content).toString('base64') };
  });
}

/** The inverse of `encodeAttachments`. */
export function decodeAttachments(files: z.infer<typeof attachmentsSchema>): MailAttachment[] {
  return files.map(({ content, ...rest }) => ({ ...rest, content: Buffer.from(content, 'base64') }));
}
