import { isIPv4, isIPv6 } from 'node:net';

/** The address of a request's sender as every store keeps it. */
export interface SourceIp {
  /** Canonical text of one IPv4 or IPv6 address; null where none was given. */
  address: string | null;
  /** What was given, its first 256 characters, where it is not the address itself. */
  received: string | null;
}

const MAX_RECEIVED = 256;

/**
 * Reads one address from what hosts pass: `X-Forwarded-For` lists (the first entry counts),
 * `Forwarded` entries (`for=…`), ports, brackets and zone ids. IPv4 mapped into IPv6 becomes IPv4.
 * Whatever holds no address, such as `unknown` or an empty text, gives null.
 */
export function readSourceIp(given: unknown): SourceIp {
  if (given === undefined || given === null) return { address: null, received: null };
  if (typeof given !== 'string') return { address: null, received: `[${typeof given}]` };
  const [first = ''] = given.slice(0, MAX_RECEIVED).split(/[,;]/, 1);
  const address = canonicalAddress(withoutPort(first.trim().replace(/^for=/i, '').replaceAll('"', '')));
  return { address, received: given === address ? null : given.slice(0, MAX_RECEIVED) };
}

/** `[v6]:port`, `[v6]`, `v4:port` and bare addresses. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1];
  return bracketed ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
}

/** The one spelling of an address that all stores keep and compare, or null for what is none. */
export function canonicalAddress(text: string): string | null {
  if (isIPv4(text)) return text;
  const [address = ''] = text.split('%', 1); // a zone id names a link of the host that saw it
  if (!isIPv6(address)) return null;
  const compressed = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(compressed);
  return mapped === null ? compressed : toIPv4(mapped[1] ?? '', mapped[2] ?? '');
}

function toIPv4(high: string, low: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt16BE(Number.parseInt(high, 16), 0);
  bytes.writeUInt16BE(Number.parseInt(low, 16), 2);
  return bytes.join('.');
}
