import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStorable, storableText } from './storable-text.js';

describe('storable text', () => {
  it('is all text but NUL and halves of surrogate pairs', () => {
    for (const text of ['', 'a', '\u0001\u007f\u2028\uffff', 'ü😀', '\\u0000'])
      expect([text, isStorable(text), storableText(text)]).toEqual([text, true, text]);
    expect(storableText('a\u0000b\ud83dc\ude00\ud83d\ude00')).toBe('a\ufffdb\ufffdc\ufffd😀');
  });

  it('survives UTF-8, whatever it was made of', () => {
    const units = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));
    fc.assert(
      fc.property(units, (text) => {
        const made = storableText(text);
        expect(isStorable(made)).toBe(true);
        expect(Buffer.from(made, 'utf8').toString('utf8')).toBe(made);
        if (isStorable(text)) expect(made).toBe(text);
      }),
    );
  });
});
