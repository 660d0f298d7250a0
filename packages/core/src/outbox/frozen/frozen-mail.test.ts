import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCriticizerError } from '../../foundation/errors.js';
import type { FrozenMail } from '../senders/mailer.js';
import { decodeFrozenMail, encodeFrozenMail } from './frozen-mail.js';

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
    expect(encodeFrozenMail(mail).sha256).toBe('28d4642b354b214b41c1c7cdc1a2d109ba222182c925bbd194531e1a72fd524a');
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
      Buffer.from(encodeFrozenMail(mail).bytes).toString().replace('"subject"', '"title"'),
    ]) {
      const sha256 = createHash('sha256').update(text).digest('hex');
      expect(codeOf(() => decodeFrozenMail(Buffer.from(text), sha256))).toBe('MAIL_UNREADABLE');
    }
  });

  it.each([
    ['kind', '"kind":"mail"', '"kind":"chat-message"'],
    ['format', '"format":1', '"format":2'],
  ])('NOT-9: an unknown %s is a message for another release: it parks', (_what, known, other) => {
    const text = Buffer.from(encodeFrozenMail(mail).bytes).toString();
    expect(text.split(known)).toHaveLength(2);
    const changed = Buffer.from(text.replace(known, other));
    const sha256 = createHash('sha256').update(changed).digest('hex');
    let thrown: unknown;
    try {
      decodeFrozenMail(changed, sha256);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'MESSAGE_KIND_UNKNOWN', parks: true });
  });

  it.each([
    'Reply-To',
    'Received',
    'Errors-To',
    'Disposition-Notification-To',
    'Return-Receipt-To',
    'X-SMTPAPI',
    'X-MC-BccAddress',
    'X-Original-To',
    'Apparently-To',
    'Content-Type',
  ])('NOT-5: refuses the header %s, which may add somebody or change how the mail is read', (name) => {
    expect(codeOf(() => encodeFrozenMail({ ...mail, headers: [{ name, value: 'a@b.test' }] }))).toBe('TypeError');
  });

  it('NOT-5: carries a reply address and headers that name nobody', () => {
    const names = ['List-Unsubscribe', 'List-Unsubscribe-Post', 'Feedback-ID', 'X-PM-Metadata-key', 'Thread-Topic'];
    const whole = { ...mail, replyTo: { address: 'team@b.test', name: 'Team' } };
    const frozen = { ...whole, headers: names.map((name) => ({ name, value: 'a value' })) };
    const { bytes, sha256 } = encodeFrozenMail(frozen);
    expect(decodeFrozenMail(bytes, sha256)).toEqual(frozen);
    expect(codeOf(() => encodeFrozenMail({ ...mail, replyTo: { address: 'a@b.test, c@d.test' } }))).toBe('TypeError');
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
