import { describe, expect, it } from 'vitest';
import { ALNUM, BASE64, HEX, madeUp, notKept, redactLine } from '../../testing/redact-line.js';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const ID = `${['AK', 'IA'].join('')}${madeUp(16, BASE32)}`;

describe('the secret beside the id of an AWS key', () => {
  it('RED-2: goes whatever stands between the two', () => {
    const places = [
      ['a.py', (v: string) => `login = ("${ID}", "${v}")`],
      ['a.go', (v: string) => `pair := []string{"${ID}", "${v}"}`],
      ['a.js', (v: string) => `new Client("${ID}", "${v}", "eu-west-1")`],
      ['a.csv', (v: string) => `build,${ID},${v}`],
      ['a.yml', (v: string) => `- ${ID}\n- ${v}`],
      ['a.txt', (v: string) => `${ID} ${v}`],
      ['a.js', (v: string) => `const a = '${ID}';\nconst b = '${v}';`],
      ['a.py', (v: string) => `connect("${v}", id="${ID}")`],
    ] as const;
    const left = places.flatMap(([path, write]) =>
      Array.from({ length: 40 }, (_, seed) => madeUp(40, BASE64, seed + 1))
        .filter((value) => redactLine(write(value), path).text.includes(value))
        .map((value) => write(value)),
    );
    // Chance makes one in a hundred that looks like words.
    expect(left.length).toBeLessThanOrEqual(places.length * 40 * 0.02);
  });

  it('RED-8: revisions, digests, longer data and what stands far away stay', () => {
    const hide = (text: string): string => redactLine(text).text.replace(/\[REDACTED:aws-access-key:1\]/, ID);
    const texts = [
      `${ID} ${madeUp(40, HEX)}`,
      `${ID} ${madeUp(41, `${ALNUM}+`)}`,
      `${ID}\n\n\n\n\n${'a sentence of some words '.repeat(4)}`,
    ];
    expect(texts.map((text) => hide(text).split(' ')[0])).toEqual(texts.map((text) => text.split(' ')[0]));
    expect(hide(texts[0] as string)).toBe(texts[0]);
    expect(notKept([['a.py', `login = ("ASIAN_MARKET", "${madeUp(40, HEX)}")`]])).toEqual([]);
  });
});
