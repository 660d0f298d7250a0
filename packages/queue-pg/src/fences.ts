import type { Lease } from '@criticizer/core';
import { asUuid } from './pg-session.js';

/** Leases as the parameters of the functions that write under them: ids, owners, tokens. */
export function fencesOf(leases: readonly Lease[]): [ids: string[], owners: string[], tokens: string[]] {
  return [leases.map(({ jobId }) => asUuid(jobId)), leases.map(({ owner }) => owner), leases.map(({ token }) => token)];
}
