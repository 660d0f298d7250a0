import { isIPv4, isIPv6 } from 'node:net';

/**
 * What an address may be used for. `loopback` and `private` need an origin in
 * `allowPrivateOrigins`; `forbidden` (cloud metadata, link-local, unspecified, multicast,
 * documentation, tunnels, malformed) is refused whatever is allowed.
 */
export type AddressKind = 'public' | 'private' | 'loopback' | 'forbidden';

type Range = readonly [network: string, bits: number, kind: AddressKind];

/** First match wins, so exceptions stand before the range that holds them. What is in no IPv4 range is public. */
const ipv4Ranges: readonly Range[] = [
  ['100.100.100.200', 32, 'forbidden'], // metadata, Alibaba
  ['168.63.129.16', 32, 'forbidden'], // platform endpoint, Azure
  ['0.0.0.0', 8, 'forbidden'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'private'], // carrier-grade NAT
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'forbidden'], // link-local, and metadata nearly everywhere
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'forbidden'], // protocol assignments, and metadata at Oracle
  ['192.0.2.0', 24, 'forbidden'],
  ['192.88.99.0', 24, 'forbidden'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'private'], // benchmarking; some VPNs use it
  ['198.51.100.0', 24, 'forbidden'],
  ['203.0.113.0', 24, 'forbidden'],
  ['224.0.0.0', 4, 'forbidden'],
  ['240.0.0.0', 4, 'forbidden'],
];

/** What is in no IPv6 range is forbidden: only 2000::/3 is given out. */
const ipv6Ranges: readonly Range[] = [
  ['::1', 128, 'loopback'],
  ['fd00:ec2::254', 128, 'forbidden'], // metadata, AWS
  ['64:ff9b:1::', 48, 'private'], // local NAT64
  ['fc00::', 7, 'private'],
  ['fec0::', 10, 'private'], // site-local, deprecated
  ['2001::', 23, 'forbidden'], // Teredo, ORCHID
  ['2001:db8::', 32, 'forbidden'],
  ['2002::', 16, 'forbidden'], // 6to4 carries an IPv4 address
  ['3fff::', 20, 'forbidden'],
  ['2000::', 3, 'public'],
];

/** These carry an IPv4 address in their last 32 bits and are judged by it: mapped, and the NAT64 well-known prefix. */
const carriers = [
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
] as const;

function ipv4Value(text: string): bigint {
  return text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function ipv4Text(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':');
}

/** 128 bits of a text that `isIPv6` accepts, zone removed. */
function ipv6Value(text: string): bigint {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const hex =
    dotted === null
      ? text
      : `${dotted[1]}${(ipv4Value(dotted[2] ?? '') >> 16n).toString(16)}:${(ipv4Value(dotted[2] ?? '') & 0xffffn).toString(16)}`;
  const [head = '', tail] = hex.split('::');
  const first = groupsOf(head);
  const last = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - first.length - last.length }, () => '0');
  return [...first, ...zeros, ...last].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

function inRange(value: bigint, network: bigint, bits: number, width: number): boolean {
  const shift = BigInt(width - bits);
  return value >> shift === network >> shift;
}

function classifyIpv6(value: bigint): AddressKind {
  for (const [network, bits] of carriers)
    if (inRange(value, ipv6Value(network), bits, 128)) return classifyAddress(ipv4Text(value & 0xffff_ffffn));
  for (const [network, bits, kind] of ipv6Ranges) if (inRange(value, ipv6Value(network), bits, 128)) return kind;
  return 'forbidden';
}

/** Judges one IP address in any textual form (no brackets). What is not an address is `forbidden`. */
export function classifyAddress(address: string): AddressKind {
  if (isIPv4(address)) {
    const value = ipv4Value(address);
    for (const [network, bits, kind] of ipv4Ranges) if (inRange(value, ipv4Value(network), bits, 32)) return kind;
    return 'public';
  }
  if (!isIPv6(address)) return 'forbidden';
  return classifyIpv6(ipv6Value(address.replace(/%.*$/, '')));
}
