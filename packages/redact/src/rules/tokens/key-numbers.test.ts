import { describe, expect, it } from 'vitest';
import { BASE64, HEX, madeUp, notKept, redactLine } from '../../testing/redact-line.js';

const MARK = '[REDACTED:private-key:1]';
const pairs = (count: number, seed: number): string =>
  (madeUp(count * 2, HEX, seed).match(/../g) as string[]).join(':');

describe('private keys written as numbers', () => {
  it('RED-4: the secret numbers of a key in XML go, the public ones stay', () => {
    const secret = madeUp(88, BASE64);
    const write = (value: string): string =>
      `<Exponent>AQAB</Exponent><P>${value}</P>\n  <D>${value}</D></RSAKeyValue>`;
    expect(redactLine(write(secret), 'a.xml').text).toBe(write(MARK));
  });

  it('RED-4: the lines of a number that OpenSSL prints', () => {
    const last = pairs(9, 2);
    const write = (first: string, second: string): string =>
      `privateExponent:\n    ${first}\n    ${second}\nwriting RSA key`;
    expect(redactLine(write(`${pairs(15, 1)}:`, last), 'key.txt').text).toBe(write(MARK, MARK));
    const printed = `modulus:\n    00:${pairs(15, 1)}:\n`;
    expect(redactLine(printed, 'key.txt').text).toBe(printed);
  });

  it('RED-4: the primes of a zone key, as BIND keeps them', () => {
    const write = (v: string): string => `PublicExponent: AQAB\nPrime1: ${v}\nCoefficient: ${v}\n`;
    expect(redactLine(write(`${madeUp(86, BASE64)}==`), 'Kexample.private').text).toBe(write(MARK));
  });

  it('RED-4: the private exponent under its name', () => {
    const base64 = `${madeUp(342, BASE64)}==`;
    const hex = madeUp(256, HEX);
    for (const [value, write] of [
      [base64, (v: string) => `SigningPublicExponent=AQAB\nSigningPrivateExponent=${v}\n`],
      [hex, (v: string) => `rsa.privateexp=0x${v}\nrsa.publicexp=0x010001\n`],
      [base64, (v: string) => `{ "PrivateKey": { "Exponent": "${v}" } }`],
    ] as const)
      expect(redactLine(write(value), 'Crypto.ini').text).toBe(write(MARK));
  });

  it('RED-4: a file that is the bytes of one pair of keys', () => {
    const bytes = pairs(64, 5)
      .split(':')
      .map((pair) => Number.parseInt(pair, 16));
    for (const indent of [0, 2])
      expect(redactLine(JSON.stringify(bytes, null, indent), 'id.json').text).not.toMatch(/\d,|\d\s/);
    expect(redactLine(JSON.stringify(bytes), 'id.json').text).toBe(`["${MARK}"]`);
    for (const other of [bytes.slice(1), bytes.map((_, index) => index), bytes.map((byte) => byte % 9)])
      expect(notKept([['id.json', JSON.stringify(other)]])).toEqual([]);
  });

  it('RED-8: coefficients of other kinds and public keys stay', () => {
    expect(
      notKept([
        ['a.yml', 'coefficient:\n  00:10:20\n'],
        ['a.py', 'prime1: int\nprime2: int'],
        ['a.xml', `<RSAKeyValue><Modulus>${madeUp(88, BASE64)}</Modulus><Exponent>AQAB</Exponent></RSAKeyValue>`],
      ]),
    ).toEqual([]);
  });
});
