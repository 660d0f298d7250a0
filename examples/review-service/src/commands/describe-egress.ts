// What a plan would send, in one line for a person.
import type { DryRun, EgressPlan } from '@criticizer/core';

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

/**
 * `14 files, 38 kB, 3 secrets withheld, to HOST (private)`; `nothing` without a request. A host is
 * private where the policy takes it as inside the house.
 */
export function describeEgress(
  { requests }: Pick<Extract<DryRun, { kind: 'planned' }>, 'requests'>,
  isInternal: (host: string) => boolean,
): string {
  const sum = sumRequests(requests);
  if (sum.requests === 0) return 'nothing';
  const hosts = sum.hosts.map((host) => `${host} (${isInternal(host) ? 'private' : 'public'})`);
  const kilobytes = Math.ceil(sum.bytes / 1_000);
  return `${plural(sum.files, 'file')}, ${kilobytes} kB, ${plural(sum.secretsWithheld, 'secret')} withheld, to ${hosts.join(' and ')}`;
}
