import { describe, expect, it } from 'vitest';
import { madeUp, notHidden, notKept } from '../../testing/redact-line.js';

const words = (count: number, distinct = count): string =>
  Array.from({ length: count }, (_, index) => madeUp(6, 'abdeilnorst', 1 + (index % distinct))).join(' ');

describe('recovery phrases', () => {
  it('RED-3: twelve to twenty-four words behind a name that says so', () => {
    const places = [
      ['.env', (v: string) => `MNEMONIC="${v}"`],
      ['hardhat.config.js', (v: string) => `accounts: { mnemonic: '${v}' },`],
      ['a.md', (v: string) => `The seed phrase is: ${v}`],
    ] as const;
    for (const count of [12, 24]) expect(notHidden(places, words(count))).toEqual([]);
  });

  it('RED-8: prose, other counts and instructions of processors stay', () => {
    expect(
      notKept([
        ['a.js', `mnemonic: '${words(11)}'`],
        ['a.js', `mnemonic: '${words(12, 2)}'`],
        ['a.md', 'mnemonic: words that stand for the seed and with which this wallet can come back later'],
        ['a.c', 'mnemonic = "mov"'],
      ]),
    ).toEqual([]);
  });
});
