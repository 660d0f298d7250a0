/** Why deliveries fail, in the specification's words (AUD-16): what an operator corrects first. */
export type AuditRootCause = 'auth' | 'schema' | 'rate_limit' | 'destination_down' | 'unknown';

const exact: Readonly<Record<string, AuditRootCause>> = {
  AUTH_DENIED: 'auth',
  HTTP_PAYMENT_REQUIRED: 'auth',
  AUDIT_EVENT_REJECTED: 'schema',
  HTTP_REJECTED: 'schema',
  HTTP_TOO_LARGE: 'schema',
  SCHEMA_INVALID: 'schema',
  RATE_LIMITED: 'rate_limit',
  AUDIT_ACK_MISSING: 'destination_down',
  HTTP_BLOCKED: 'destination_down',
  HTTP_MALFORMED: 'destination_down',
  HTTP_NOT_FOUND: 'destination_down',
  HTTP_REDIRECTED: 'destination_down',
};

/** Families of codes: credentials that cannot be read, networks and servers out of reach. */
const families: readonly (readonly [RegExp, AuditRootCause])[] = [
  [/^(?:SECRET|KEY)_/, 'auth'],
  [/^(?:NETWORK|UPSTREAM)_/, 'destination_down'],
];

/**
 * The root cause behind a failure's code. Derived when read, so that a letter, which never
 * changes, shows what this release knows. A code of a sink's own is `unknown`.
 */
export function rootCauseOf(code: string | null): AuditRootCause {
  if (code === null) return 'unknown';
  const known = Object.hasOwn(exact, code) ? exact[code] : undefined;
  return known ?? families.find(([family]) => family.test(code))?.[1] ?? 'unknown';
}
