/** A checked P4PORT. */
export interface P4Port {
  /** As given to the client. */
  text: string;
  tls: boolean;
  /** `host:port` without the protocol: the key of ticket and trust files. */
  address: string;
}

// `rsh:` and `jsh:` run a command on this machine, an empty port falls back to a default host: only
// TCP and TLS to a named host pass.
const grammar =
  /^(?:(?<protocol>tcp|ssl)(?:4|6|46|64)?:)?(?<address>(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252})|\[[0-9A-Fa-f:.]{2,45}\]):(?<number>[0-9]{1,5}))$/;

// `rsh:1666` reads as host and port, and the client runs `1666`; `tcp:1666` has a default host.
// Matched in any case, and behind a protocol too.
const protocolAsHost = /^(?:rsh|jsh|(?:tcp|ssl)(?:4|6|46|64)?):/i;

/**
 * Checks the port of a Perforce server, `ssl:host:1666` or `host:1666`. Throws a TypeError that
 * says what is expected.
 */
export function parseP4Port(value: unknown): P4Port {
  const groups = typeof value === 'string' ? grammar.exec(value)?.groups : undefined;
  const number = Number(groups?.['number']);
  const address = groups?.['address'];
  if (
    typeof value !== 'string' ||
    address === undefined ||
    protocolAsHost.test(address) ||
    !(number >= 1 && number <= 65_535)
  ) {
    throw new TypeError(
      'port: expected host:port, tcp:host:port or ssl:host:port (other protocols, such as rsh:, run commands and are refused)',
    );
  }
  return { text: value, tls: groups?.['protocol'] === 'ssl', address };
}

/**
 * A pin is the SHA-1 or SHA-256 of the server's public key as `p4 trust -l` prints it. Returns it in
 * upper case; throws a TypeError.
 */
export function parseTrustFingerprint(value: unknown): string {
  if (typeof value !== 'string' || !/^[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){19}(?:(?::[0-9A-Fa-f]{2}){12})?$/.test(value)) {
    throw new TypeError('trustFingerprint: expected 20 or 32 pairs of hex digits parted by colons');
  }
  return value.toUpperCase();
}

/** User names go into argv and into the ticket file: no separators of either, no leading dash. Throws a TypeError. */
export function parseP4User(value: unknown): string {
  if (typeof value !== 'string' || !isP4UserName(value)) {
    throw new TypeError('user: expected a Perforce user name without spaces, wildcards or a leading dash');
  }
  return value;
}

/** True for names that may stand as an operand of `users` and `reviews`. */
export function isP4UserName(value: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N}_.\\@'+-]{0,127}$/u.test(value);
}
