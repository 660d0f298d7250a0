import { createHash } from 'node:crypto';

/**
 * How the trail names an erased person: `sha256:` and the SHA-256, in hex, of
 * `criticizer.audit-subject`, a line feed and the id. Whoever knows an id can compute it, so it is a
 * pseudonym: it tells whether a known person was erased, and a guess can be tried against it.
 */
export function digestAuditSubject(id: string): string {
  return `sha256:${createHash('sha256').update(`criticizer.audit-subject\n${id}`).digest('hex')}`;
}
