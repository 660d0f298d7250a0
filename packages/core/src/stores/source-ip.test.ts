import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalAddress, readSourceIp } from './source-ip.js';

describe('source address', () => {
  it.each<[unknown, string | null]>([
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7, 198.51.100.1', '192.0.2.7'],
    [' 192.0.2.7 ', '192.0.2.7'],
    ['192.0.2.7:5000', '192.0.2.7'],
    ['[::1]:443', '::1'],
    ['[2001:DB8::0:1]', '2001:db8::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['for="[2001:db8::17]:4711";proto=http', '2001:db8::17'],
    ['unknown', null],
    ['unknown, 192.0.2.7', null],
    ['', null],
    ['010.1.1.1', null],
    ['10.0.0.0/8', null],
    [7, null],
    [{}, null],
  ])('AUD-2: reads %j as %j and keeps what was given', (given, address) => {
    const received = typeof given === 'string' ? given : `[${typeof given}]`;
    expect(readSourceIp(given)).toEqual({ address, received: given === address ? null : received });
  });

  it('AUD-2: what was not given leaves no trace', () => {
    expect([readSourceIp(undefined), readSourceIp(null)]).toEqual(Array(2).fill({ address: null, received: null }));
  });

  it('AUD-2: any text gives one canonical address or none', () => {
    const texts = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.ipV4Extended(),
      fc.string(),
      fc.tuple(fc.ipV6(), fc.nat(65535)).map(([ip, port]) => `[${ip}]:${port}`),
    );
    let addresses = 0;
    fc.assert(
      fc.property(texts, (text) => {
        const { address, received } = readSourceIp(text);
        expect(received?.length ?? 0).toBeLessThanOrEqual(256);
        if (address === null) return;
        addresses += 1;
        expect(isIP(address)).toBeGreaterThan(0);
        expect(canonicalAddress(address)).toBe(address);
      }),
    );
    expect(addresses).toBeGreaterThan(20);
  });
});
