import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { CriticizerError } from '../foundation/errors.js';
import { type AddressKind, classifyAddress } from './address-rules.js';

/** Every address of a name, as `dns.promises.lookup(name, {all: true})` gives them. */
export type ResolveHost = (hostname: string) => Promise<readonly { address: string; family: number }[]>;

/** Why an exchange was refused before a byte left. */
export type BlockReason = 'url_malformed' | 'url_credentials' | 'scheme' | 'address';

/** The system resolver. */
export const resolveBySystem: ResolveHost = (hostname) => lookup(hostname, { all: true, verbatim: true });

/** `HTTP_BLOCKED`, with the reason and host in `details`. Raised as a security event by the client. */
export function blocked(reason: BlockReason, host: string): CriticizerError {
  return new CriticizerError('HTTP_BLOCKED', `HTTP request refused: ${reason}`, {
    category: 'policy',
    details: { reason, host },
  });
}

/**
 * Origins a host may reach although they are private: `https://gateway.example:8443` or
 * `http://127.0.0.1:8080`. Throws `TypeError`.
 */
export function parsePrivateOrigins(origins: readonly string[]): ReadonlySet<string> {
  return new Set(
    origins.map((text) => {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (
        url === undefined ||
        (url.protocol !== 'https:' && url.protocol !== 'http:') ||
        url.hostname.includes('*') ||
        url.origin !== text.replace(/\/$/, '').toLowerCase()
      )
        throw new TypeError(
          'createHttpClient: allowPrivateOrigins expects origins such as "https://gateway.example:8443"',
        );
      return url.origin;
    }),
  );
}

/** The URL to connect to and whether private addresses are allowed for it. Throws `HTTP_BLOCKED`. */
export function checkTarget(text: string, privateOrigins: ReadonlySet<string>): { url: URL; privateAllowed: boolean } {
  if (!URL.canParse(text)) throw blocked('url_malformed', '');
  const url = new URL(text);
  const privateAllowed = privateOrigins.has(url.origin);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && privateAllowed)) throw blocked('scheme', url.host);
  if (url.username !== '' || url.password !== '') throw blocked('url_credentials', url.host);
  // Node resolves no literal, so the lookup hook below never sees one.
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0 && !usable(classifyAddress(literal), privateAllowed)) throw blocked('address', url.host);
  return { url, privateAllowed };
}

function usable(kind: AddressKind, privateAllowed: boolean): boolean {
  return kind === 'public' || (privateAllowed && kind !== 'forbidden');
}

/**
 * A `net.connect` lookup hook: resolves once per connection, refuses the name when any of its
 * addresses is not allowed, and hands the socket the very addresses that were checked, so that a
 * second answer of the name server is never used (DNS rebinding).
 */
export function createGuardedLookup(resolveHost: ResolveHost, privateAllowed: boolean): LookupFunction {
  return (hostname, options, callback) => {
    const answer = async (): Promise<LookupAddress[]> => {
      const addresses = [...(await resolveHost(hostname))];
      if (addresses.some(({ address }) => !usable(classifyAddress(address), privateAllowed)))
        throw blocked('address', hostname);
      const family =
        options.family === 4 || options.family === 'IPv4'
          ? 4
          : options.family === 6 || options.family === 'IPv6'
            ? 6
            : 0;
      const fitting = addresses.filter((one) => family === 0 || one.family === family);
      if (fitting.length === 0) throw Object.assign(new Error('no address for the host name'), { code: 'ENOTFOUND' });
      return fitting;
    };
    answer().then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error('the resolver failed'), ''),
    );
  };
}
