import { createHash } from 'node:crypto';

/** Allowed values are kept and compared by digest: a policy object that is logged or dumped tells none. */
export function digest(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}
