// What a plan would send, in one line for a person.
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import type { DryRun, EgressPlan } from '@criticizer/core';

const inside = new BlockList();
for (const [net, bits] of [
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  inside.addSubnet(net, bits, 'ipv4');
inside.addSubnet('fc00::', 7, 'ipv6');
inside.addAddress('::1', 'ipv6');

const isInside = (address: string): boolean => inside.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** `private` where every address of the host is inside the network, `public` otherwise. */
export async function classifyHost(host: string): Promise<'private' | 'public' | 'not resolvable'> {
  const name = new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, '');
  const addresses = await lookup(name, { all: true }).catch(() => []);
  if (addresses.length === 0) return 'not resolvable';
  return addresses.every(({ address }) => isInside(address)) ? 'private' : 'public';
}

/** Sums over the requests of a plan. */
export interface EgressSum {
  requests: number;
  files: number;
  bytes: number;
  secretsWithheld: number;
  hosts: readonly string[];
}

/** Files once each, bytes and withheld secrets over all requests. */
export function sumRequests(requests: readonly EgressPlan[]): EgressSum {
  return {
    requests: requests.length,
    files: new Set(requests.flatMap(({ paths }) => paths)).size,
    bytes: requests.reduce((sum, { bytes }) => sum + bytes, 0),
    secretsWithheld: requests.reduce(
      (sum, { redactions }) => sum + Object.values(redactions).reduce((all, count) => all + count, 0),
      0,
    ),
    hosts: [...new Set(requests.map(({ host }) => host))],
  };
}

export const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** `14 files, 38 kB, 3 secrets withheld, to HOST (private)`; `nothing` without a request. */
export async function describeEgress(run: Extract<DryRun, { kind: 'planned' }>): Promise<string> {
  const sum = sumRequests(run.requests);
  if (sum.requests === 0) return 'nothing';
  const hosts = await Promise.all(sum.hosts.map(async (host) => `${host} (${await classifyHost(host)})`));
  const kilobytes = Math.ceil(sum.bytes / 1_000);
  return `${plural(sum.files, 'file')}, ${kilobytes} kB, ${plural(sum.secretsWithheld, 'secret')} withheld, to ${hosts.join(' and ')}`;
}
