import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText, parseEncodingLabel } from './decode-text.js';

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

describe('decode text', () => {
  it.each<[string, Buffer, object, object]>([
    ['UTF-8', Buffer.from('ä'), {}, { kind: 'text', text: 'ä', encoding: 'utf8' }],
    ['UTF-8 with a mark', Buffer.from('\uFEFFä'), {}, { kind: 'text', text: 'ä', encoding: 'utf8-bom' }],
    ['UTF-16 LE', Buffer.from('\uFEFFä', 'utf16le'), {}, { kind: 'text', text: 'ä', encoding: 'utf16le' }],
    ['UTF-16 BE', utf16be('\uFEFFä'), {}, { kind: 'text', text: 'ä', encoding: 'utf16be' }],
    [
      'UTF-16 as declared',
      Buffer.from('abc', 'utf16le'),
      { utf16: true },
      { kind: 'text', text: 'abc', encoding: 'utf16le' },
    ],
    ['UTF-16 undeclared', Buffer.from('abc', 'utf16le'), {}, { kind: 'binary' }],
    ['NUL', Buffer.from('a\0b'), {}, { kind: 'binary' }],
    ['a lone surrogate', Buffer.from([0xff, 0xfe, 0x00, 0xd8]), {}, { kind: 'undecodable' }],
    ['Latin-1', Buffer.from([0xe4]), {}, { kind: 'undecodable' }],
    [
      'Latin-1 as declared',
      Buffer.from([0xe4]),
      { legacyEncoding: 'windows-1252' },
      { kind: 'text', text: 'ä', encoding: 'windows-1252' },
    ],
    ['nothing', Buffer.alloc(0), {}, { kind: 'text', text: '', encoding: 'utf8' }],
  ])('reads %s', (_name, bytes, options, expected) => {
    expect(decodeText(bytes, options)).toEqual(expected);
  });

  it('never loses a byte of what it accepts as UTF-8', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 30 }), (array) => {
        const bytes = Buffer.from(array);
        const decoded = decodeText(bytes);
        if (decoded.kind === 'text' && decoded.encoding === 'utf8') expect(Buffer.from(decoded.text)).toEqual(bytes);
      }),
    );
  });

  it('knows encoding labels', () => {
    expect(parseEncodingLabel('latin1')).toBe('windows-1252');
    expect(() => parseEncodingLabel('no-such')).toThrow(TypeError);
  });
});
