import { isIP } from 'node:net';
import type { HttpClient } from '@criticizer/core/http';

/** True for a host that cannot be another machine; an IPv6 address may be in brackets, as in a URL. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/** True for https, and for plain http to this machine: to another it would carry secrets in the clear. */
export const isSafeScheme = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));

/**
 * Throws `TypeError` unless `url` is https, or http to this machine, or http to an origin that the host listed in
 * `allowPrivateOrigins` of `http`. `url` is an address already.
 */
export function checkPlainHttp(option: string, url: string, http: HttpClient): void {
  const parsed = new URL(url);
  if (isSafeScheme(parsed)) return;
  if (parsed.protocol === 'http:' && http.isPrivateOriginAllowed?.(parsed.origin) === true) return;
  throw new TypeError(
    `${option}: expected an https address; http for this machine and for an origin in allowPrivateOrigins of http`,
  );
}
