import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyAddress } from './address-rules.js';

describe('classifyAddress', () => {
  it.each([
    ['1.1.1.1', 'public'],
    ['8.8.8.8', 'public'],
    ['172.32.0.1', 'public'],
    ['100.128.0.1', 'public'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['0.0.0.0', 'forbidden'],
    ['169.254.169.254', 'forbidden'],
    ['169.254.1.1', 'forbidden'],
    ['100.100.100.200', 'forbidden'],
    ['168.63.129.16', 'forbidden'],
    ['192.0.0.192', 'forbidden'],
    ['224.0.0.1', 'forbidden'],
    ['255.255.255.255', 'forbidden'],
    ['203.0.113.7', 'forbidden'],
    ['2606:4700::1111', 'public'],
    ['::1', 'loopback'],
    ['::', 'forbidden'],
    ['fc00::1', 'private'],
    ['fd12:3456::1', 'private'],
    ['fd00:ec2::254', 'forbidden'],
    ['fe80::1', 'forbidden'],
    ['fe80::1%eth0', 'forbidden'],
    ['ff02::1', 'forbidden'],
    ['fec0::1', 'private'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['::ffff:a9fe:a9fe', 'forbidden'],
    ['::ffff:8.8.8.8', 'public'],
    ['::127.0.0.1', 'forbidden'],
    ['::ffff:0:127.0.0.1', 'forbidden'],
    ['64:ff9b::127.0.0.1', 'loopback'],
    ['64:ff9b::a9fe:a9fe', 'forbidden'],
    ['64:ff9b::8.8.8.8', 'public'],
    ['64:ff9b:1::a00:1', 'private'],
    ['2002:7f00:1::', 'forbidden'],
    ['2001:0:4136:e378::1', 'forbidden'],
    ['2001:db8::1', 'forbidden'],
    ['0x7f.1', 'forbidden'],
    ['localhost', 'forbidden'],
    ['', 'forbidden'],
  ])('%s is %s', (address, kind) => {
    expect(classifyAddress(address)).toBe(kind);
  });

  it('judges an IPv4 address alike in plain, mapped and NAT64 form', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const kind = classifyAddress(address);
        expect(classifyAddress(`::ffff:${address}`)).toBe(kind);
        expect(classifyAddress(`64:ff9b::${address}`)).toBe(kind);
      }),
    );
  });

  it('judges an IPv6 address alike in every spelling of it', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 }), (groups) => {
        const long = groups.map((group) => group.toString(16).padStart(4, '0')).join(':');
        const short = new URL(`http://[${long}]/`).hostname.slice(1, -1);
        expect(classifyAddress(long)).toBe(classifyAddress(short));
      }),
    );
  });
});
