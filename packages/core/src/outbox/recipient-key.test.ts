import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCriticizerError } from '../foundation/errors.js';
import { parseRecipient } from './recipient-key.js';

function codeOf(run: () => unknown): string {
  try {
    run();
    return 'accepted';
  } catch (error) {
    return isCriticizerError(error) ? `${error.code}/${error.category}` : 'other';
  }
}

describe('parseRecipient', () => {
  it.each([
    ['User.Name+tag@Example.TEST', 'User.Name+tag@example.test'],
    ['a@BÜCHER.example', 'a@xn--bcher-kva.example'],
    ['a@xn--bcher-kva.example', 'a@xn--bcher-kva.example'],
    ['ünï@example.test', 'ünï@example.test'],
    ["o'brien@example.test", "o'brien@example.test"],
    ['a@localhost', 'a@localhost'],
  ])('NOT-3: %s has the key %s', (address, recipientKey) => {
    expect(parseRecipient(address)).toEqual({ address, recipientKey });
  });

  it.each([
    '',
    'a',
    '@example.test',
    'a@',
    'a@b@c.test',
    'a b@example.test',
    'a@exa mple.test',
    'a@example.test\r\nBcc: x@y.test',
    'a\0@example.test',
    'a,b@example.test',
    'a@x.test,b@y.test',
    '<a@example.test>',
    'A <a@example.test>',
    '"a b"@example.test',
    'grp:a@example.test;',
    'a@[127.0.0.1]',
    'a@127.0.0.1',
    'a@0x7f.1',
    'a@%65xample.test',
    'a@-x.test',
    'a@x..test',
    'a@x.test.',
    '.a@x.test',
    'a.@x.test',
    'a..b@x.test',
    'a\u202e@x.test',
    'a\u200b@x.test',
    'a\ud800@x.test',
    `${'a'.repeat(65)}@x.test`,
    `a@${'x'.repeat(64)}.test`,
    `a@${'x.'.repeat(130)}test`,
    'a@x_y.test',
  ])('refuses %j with RECIPIENT_INVALID', (address) => {
    expect(codeOf(() => parseRecipient(address))).toBe('RECIPIENT_INVALID/validation');
  });

  it('accepts or refuses any string, and what it accepts is one address that keys to itself', () => {
    const pieces = fc.constantFrom(
      'a',
      'B',
      '.',
      '@',
      '+',
      'ü',
      'x.test',
      ',',
      '\r\n',
      ' ',
      '\u202e',
      '%',
      '<',
      '"',
      '1',
      '-',
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
        (text) => {
          const code = codeOf(() => parseRecipient(text));
          expect(['accepted', 'RECIPIENT_INVALID/validation']).toContain(code);
          if (code !== 'accepted') return;
          const { recipientKey } = parseRecipient(text);
          expect(parseRecipient(recipientKey).recipientKey).toBe(recipientKey);
          expect(recipientKey).toMatch(/^[^\s,<>@]+@[a-z0-9.-]+$/);
        },
      ),
    );
  });
});
