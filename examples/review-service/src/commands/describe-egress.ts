// What a plan would send, in one line for a person.
import type { DryRun, EgressPlan } from '@criticizer/core';
import type { Configuration } from '../config/configuration.js';
import type { ModelConfiguration } from '../config/model-variables.js';
import { readInternalHosts } from '../config/public-models.js';

/** Sums over the requests of a plan. */
export interface EgressSum {
  requests: number;
  files: number;
  bytes: number;
  secretsWithheld: number;
  hosts: readonly string[];
}

/** Files once each, bytes and withheld secrets over all requests. */
/** What is said of a request. */
type SentRequest = Pick<EgressPlan, 'paths' | 'bytes' | 'redactions' | 'host'>;

export function sumRequests(requests: readonly SentRequest[]): EgressSum {
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
 * private where the policy takes it as inside the house. Models that may stand in are named too.
 */
export function describeEgress(
  { requests }: { requests: readonly SentRequest[] },
  { settings, models }: Pick<Configuration, 'settings'> & { models: readonly Pick<ModelConfiguration, 'host'>[] },
): string {
  const sum = sumRequests(requests);
  if (sum.requests === 0) return 'nothing';
  const isInternal = readInternalHosts(settings);
  const name = (host: string): string => `${host} (${isInternal(host) ? 'private' : 'public'})`;
  const others = [...new Set(models.map(({ host }) => host))].filter((host) => !sum.hosts.includes(host));
  const standIns = others.length === 0 ? '' : `, or where that is out to ${others.map(name).join(' or ')}`;
  const kilobytes = Math.ceil(sum.bytes / 1_000);
  return `${plural(sum.files, 'file')}, ${kilobytes} kB, ${plural(sum.secretsWithheld, 'secret')} withheld, to ${sum.hosts.map(name).join(' and ')}${standIns}`;
}

/** `, then at most 2 requests to check findings`; empty where none can follow. */
export function describeChecks({ checksAtMost }: Pick<Extract<DryRun, { kind: 'planned' }>, 'checksAtMost'>): string {
  return checksAtMost === 0 ? '' : `, then at most ${plural(checksAtMost, 'request')} to check findings`;
}

/** A line for each destination: its name and host, what may go there, and what would. */
export function describeDestinations({
  destinations,
}: Pick<Extract<DryRun, { kind: 'planned' }>, 'destinations'>): string {
  const lines = destinations.map(({ name, host, content, isAllowed, isStopped, sends, recipients }) => {
    const where = host === null ? '' : ` at ${host}`;
    const verdict = isStopped ? ', stopped by the kill switch' : isAllowed ? '' : ', refused by the policy';
    const people = recipients.map(({ address, content: level }) => `    ${address}: ${level}\n`).join('');
    return `  ${name}${where} (${content}${verdict}): ${sends}\n${people}`;
  });
  return lines.join('');
}
