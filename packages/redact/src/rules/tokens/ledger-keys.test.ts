import { describe, expect, it } from 'vitest';
import { HEX, madeUp, notHidden, notKept } from '../../testing/redact-line.js';

describe('keys of a ledger', () => {
  it('RED-4: private keys of a ledger where something makes an account of them; transactions, blocks and roots stay', () => {
    const key = madeUp(64, HEX);
    const places = [
      ['a.js', (v: string) => `const wallet = new ethers.Wallet("${v}");`],
      ['a.ts', (v: string) => `const account = privateKeyToAccount('${v}');`],
      ['hardhat.config.js', (v: string) => `accounts: ["${v}"],`],
      ['a.py', (v: string) => `acct = Account.from_key("${v}")`],
    ] as const;
    expect(notHidden(places, key)).toEqual([]);
    expect(notHidden(places, `0x${key}`)).toEqual([]);
    expect(
      notKept([
        ['a.log', `tx: 0x${key} confirmed`],
        ['a.json', `{"stateRoot": "0x${key}", "topics": ["0x${key}"]}`],
        ['a.ts', `const block = "0x${key}";`],
        ['a.ts', `expect(await hashOf(file)).toBe("${key}")`],
      ]),
    ).toEqual([]);
  });
});
