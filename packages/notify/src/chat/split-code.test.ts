import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitCode } from './split-code.js';

describe('splitCode', () => {
  it('CHN-1: gives back the text, but for the backticks of pairs', () => {
    const texts = fc.array(fc.constantFrom('`', 'a', '\n', '*', ' ')).map((chars) => chars.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        const pieces = splitCode(text);
        expect(pieces.map(({ text: piece, isCode }) => (isCode ? `\`${piece}\`` : piece)).join('')).toBe(text);
        expect(pieces.every(({ text: piece }) => piece !== '')).toBe(true);
      }),
    );
    // Text that is all code has few pieces, and loses nothing.
    expect(splitCode('`a` '.repeat(1_000)).length).toBeLessThanOrEqual(42);
    expect(splitCode('call `f()` twice')).toEqual([
      { text: 'call ', isCode: false },
      { text: 'f()', isCode: true },
      { text: ' twice', isCode: false },
    ]);
  });
});
