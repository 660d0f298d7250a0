import { isIP } from 'node:net';
import { checkArray } from '../foundation/option-checks.js';
import { classifyAddress } from '../http/address-rules.js';

/** The name or address in `host` or `host:port`, lower case, without brackets. */
function nameIn(host: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(host);
  return (bracketed?.[1] ?? host.replace(/:\d+$/, '')).toLowerCase().replace(/\.$/, '');
}

const innerSuffixes = ['.internal', '.local', '.localhost', '.lan', '.home.arpa'];

/**
 * A rule that says of a host, with or without a port, whether it is inside the house: private and
 * loopback addresses, `localhost`, names without a dot, names under `.internal`, `.local`,
 * `.localhost`, `.lan` and `.home.arpa`, and the configured hosts: `llm.studio.example` names one,
 * `.studio.example` everything below. Nothing is resolved: a name is public until it is listed.
 * Throws `TypeError` for what is no list.
 */
export function createInternalHosts(internalHosts: readonly string[]): (host: string) => boolean {
  checkArray('createInternalHosts: internalHosts', internalHosts);
  const listed = internalHosts.map((host) => host.toLowerCase());
  return (host) => {
    const name = nameIn(host);
    if (listed.some((one) => (one.startsWith('.') ? name.endsWith(one) : name === one))) return true;
    if (isIP(name) !== 0) return ['private', 'loopback'].includes(classifyAddress(name));
    return !name.includes('.') || innerSuffixes.some((suffix) => name.endsWith(suffix));
  };
}
