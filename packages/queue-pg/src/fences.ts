import type { Lease } from '@criticizer/core';
import { asUuid } from './pg-session.js';
import { textArray } from './text-array.js';

/** Leases as the parameters of the functions that write under them: ids, owners, tokens. */
export function fencesOf(leases: readonly Lease[]): [ids: string, owners: string, tokens: string] {
  const ids = leases.map(({ jobId }) => asUuid(jobId));
  return [`{${ids.join()}}`, textArray(leases.map(({ owner }) => owner)), textArray(leases.map(({ token }) => token))];
}
