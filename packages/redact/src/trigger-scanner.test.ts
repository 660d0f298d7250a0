import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTriggerScanner } from './trigger-scanner.js';

function found(literals: readonly string[], text: string): string[] {
  const hits: string[] = [];
  createTriggerScanner(literals).scan(text, (trigger, start, end) => hits.push(`${literals[trigger]}@${start}-${end}`));
  return hits.sort();
}

function expected(literals: readonly string[], text: string): string[] {
  const folded = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const hits: string[] = [];
  for (const literal of literals) {
    for (let at = 0; at + literal.length <= text.length; at += 1) {
      if (folded.startsWith(literal.toLowerCase(), at)) hits.push(`${literal}@${at}-${at + literal.length}`);
    }
  }
  return hits.sort();
}

describe('trigger scanner', () => {
  it('RED-1: reports what a naive search reports, overlapping triggers and any case included', () => {
    const letter = fc.constantFrom('a', 'b', 'A', 'B', '_', 'é');
    const literal = fc.string({ unit: fc.constantFrom('a', 'b', '_'), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.uniqueArray(literal, { minLength: 1, maxLength: 6 }), fc.string({ unit: letter, maxLength: 40 }), (literals, text) => {
        expect(found(literals, text)).toEqual(expected(literals, text));
      }),
    );
  });

  it('RED-1: an empty or non-ASCII literal is refused', () => {
    expect(() => createTriggerScanner([''])).toThrow(TypeError);
    expect(() => createTriggerScanner(['é'])).toThrow(TypeError);
  });
});
