import type { Lease } from '@criticizer/core/ports';
import { asUuid } from './pg-session.js';
import { textArray } from './text-array.js';

/** The ids of the leases' jobs as the literal of an array. */
export function idArray(leases: readonly Lease[]): string {
  return `{${leases.map(({ jobId }) => asUuid(jobId)).join()}}`;
}

/** Leases as the parameters of the functions that write under them: ids, owners, tokens. */
export function fencesOf(leases: readonly Lease[]): [ids: string, owners: string, tokens: string] {
  return [idArray(leases), textArray(leases.map(({ owner }) => owner)), textArray(leases.map(({ token }) => token))];
}
