import { describe, expect, it } from 'vitest';
import { notKept, redactLine } from '../../testing/redact-line.js';
import { textFromSeed } from '../../testing/secret-generators.js';

const DIGITS = '0123456789';
const code = (seed: number): string => `${textFromSeed(seed, DIGITS, 2)}b${textFromSeed(seed, DIGITS, 2)}`;

describe('recovery codes', () => {
  it('RED-3: below their name, behind it, in a list', () => {
    const [first, second, third] = [1, 2, 3].map((seed) => `${code(seed)}-${code(seed + 9)}`) as [
      string,
      string,
      string,
    ];
    for (const write of [
      () => `Backup codes:\n1. ${first}\n2. ${second}\n3. ${third}\n`,
      () => `## Recovery codes\n\n- ${first}\n- ${second}\n- ${third}\n`,
      () => `recovery_codes = ["${first}", "${second}", "${third}"]`,
      () => `"backupCodes": [\n  "${first}",\n  "${second}",\n  "${third}"\n]`,
      () => `emergency codes: ${first}, ${second}, ${third}`,
    ]) {
      const { text } = redactLine(write(), 'notes');
      for (const value of [first, second, third]) expect(text).not.toContain(value);
      expect(text.split('\n')).toHaveLength(write().split('\n').length);
    }
    const pairs = textFromSeed(4, DIGITS, 8).replace(/^.{4}/, '$& ');
    expect(redactLine(`Backup codes:\n1. ${pairs}`, 'notes').text).not.toContain(pairs);
  });

  it('RED-8: what explains them, counts them or makes them stays', () => {
    expect(
      notKept([
        ['a.md', 'Backup codes: keep them in a safe place.'],
        ['a.md', 'Recovery codes\n\nEach code works once.'],
        ['a.ts', 'const backupCodes = generate(10);'],
        ['a.ts', 'backupCodes: string[]'],
        ['a.md', 'backup codes: 10'],
      ]),
    ).toEqual([]);
  });
});
