import { createHash } from 'node:crypto';

/** SHA-256, hex. Allowed values are kept and compared by it: a policy object that is logged or dumped tells none. */
export function digest(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}
