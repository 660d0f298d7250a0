import { isIP } from 'node:net';

/** True for a host that cannot be another machine; an IPv6 address may be in brackets, as in a URL. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/** True for https, and for plain http to this machine alone: to another it would carry secrets in the clear. */
export const isSafeScheme = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
