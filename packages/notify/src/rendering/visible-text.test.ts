import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, escapeHtml, visibleLine, visibleText } from './visible-text.js';

const anyText = fc.string({ unit: 'binary' });

describe('visible text', () => {
  it.each([
    ['a\u202eb', 'a[U+202E]b'],
    ['a\u0000b', 'a[U+0000]b'],
    ['a\u200bb\ufeff', 'a[U+200B]b[U+FEFF]'],
    ['a\ud800b', 'a[U+D800]b'],
    ['a\u{e0041}b', 'a[U+E0041]b'],
    ['a\r\nb\rc\td', 'a\nb\nc\td'],
    ['Grüße 漢字 😀', 'Grüße 漢字 😀'],
  ])('%j is shown as %j', (text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it('never leaves a character that hides or reorders, and is stable', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = visibleText(text);
        expect(shown).not.toMatch(/[\p{Cf}\p{Cs}\u2028\u2029]|(?![\n\t])\p{Cc}/u);
        expect(visibleText(shown)).toBe(shown);
      }),
    );
  });

  it('a line is one line, no longer than asked', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 40 }), (text, max) => {
        const line = visibleLine(text, max);
        expect(line).not.toMatch(/[\n\t\r]/);
        expect(Array.from(line).length).toBeLessThanOrEqual(max);
      }),
    );
    expect(cut('😀😀😀', 2)).toBe('😀…');
  });

  it('escaped text holds no markup', () => {
    fc.assert(fc.property(anyText, (text) => void expect(escapeHtml(text)).not.toMatch(/[<>"']/)));
    expect(escapeHtml('<a href="x">&amp;\'')).toBe('&lt;a href=&quot;x&quot;&gt;&amp;amp;&#39;');
  });
});
