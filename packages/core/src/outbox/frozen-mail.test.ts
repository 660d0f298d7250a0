import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCriticizerError } from '../foundation/errors.js';
import { decodeFrozenMail, encodeFrozenMail } from './frozen-mail.js';
import type { FrozenMail } from './mailer.js';

const mail: FrozenMail = {
  messageId: '<0123456789abcdef0123456789abcdef@example.test>',
  from: { address: 'criticizer@example.test', name: 'Criticizer' },
  envelopeFrom: 'bounces@example.test',
  to: { address: 'dev@example.test' },
  subject: '[Criticizer] 12345: Grüße',
  date: new Date('2026-01-02T03:04:05.678Z'),
  text: 'text\n',
  html: '<p>html</p>',
  headers: [{ name: 'X-Criticizer-Change', value: 'p4/12345' }],
};

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return isCriticizerError(error) ? error.code : (error as Error).constructor.name;
  }
}

describe('frozen mail', () => {
  it('NOT-5: comes back as it was', () => {
    const { bytes, sha256 } = encodeFrozenMail(mail);
    expect(decodeFrozenMail(bytes, sha256)).toEqual(mail);
  });

  it('NOT-5: has the same bytes whatever the order of members', () => {
    const { headers, text, html, ...rest } = mail;
    const shuffled: FrozenMail = {
      html,
      headers,
      text,
      ...rest,
      from: { name: 'Criticizer', address: 'criticizer@example.test' },
    };
    expect(encodeFrozenMail(shuffled).sha256).toBe(encodeFrozenMail(mail).sha256);
    expect(encodeFrozenMail(mail).sha256).toBe('2c1af99f6b03aaaf3af77f106a4ce3910dd158c4203021de86d86b3305255e05');
  });

  it('NOT-5: other bytes are an alarm, not a mail', () => {
    const { bytes } = encodeFrozenMail(mail);
    const other = encodeFrozenMail({ ...mail, text: 'other' }).sha256;
    expect(codeOf(() => decodeFrozenMail(bytes, other))).toBe('MAIL_DIGEST_MISMATCH');
  });

  it.each([
    ['control character in the subject', { subject: 'a\r\nBcc: x@y.test' }],
    ['control character in a name', { from: { address: 'a@b.test', name: 'x\ny' } }],
    ['unpaired surrogate', { subject: 'a\ud800' }],
    ['two recipients', { to: { address: 'a@b.test,c@d.test' } }],
    ['empty envelope sender', { envelopeFrom: '' }],
    ['foreign Message-ID', { messageId: 'none' }],
    ['header value with NUL', { headers: [{ name: 'X-A', value: 'a\0' }] }],
    ['header name with a colon', { headers: [{ name: 'X:A', value: 'a' }] }],
    ['Bcc', { headers: [{ name: 'bcc', value: 'a@b.test' }] }],
    ['Content-Type', { headers: [{ name: 'Content-Type', value: 'text/plain' }] }],
    ['unfoldable token', { headers: [{ name: 'X-Files', value: 'x'.repeat(901) }] }],
    ['no date', { date: new Date(Number.NaN) }],
  ] satisfies [string, Partial<FrozenMail>][])('refuses: %s', (_what, change) => {
    expect(codeOf(() => encodeFrozenMail({ ...mail, ...change }))).toBe('TypeError');
  });

  it('reads nothing but frozen mails', () => {
    for (const text of [
      '',
      '{}',
      '[]',
      Buffer.from(encodeFrozenMail(mail).bytes).toString().replace('"version":1', '"version":2'),
    ]) {
      const sha256 = createHash('sha256').update(text).digest('hex');
      expect(codeOf(() => decodeFrozenMail(Buffer.from(text), sha256))).toBe('MAIL_UNREADABLE');
    }
  });

  it('carries any text and html', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (text, html) => {
        const { bytes, sha256 } = encodeFrozenMail({ ...mail, text, html });
        expect(decodeFrozenMail(bytes, sha256)).toEqual({ ...mail, text, html });
      }),
    );
  });
});
