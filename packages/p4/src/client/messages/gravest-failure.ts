// Which failure of a command is thrown, and which failures raise a security event.
import type { CriticizerError } from '@criticizer/core/ports';
import { textBeforeRecord } from '../marshal-reader.js';

const securityCodes: Readonly<Record<string, 'p4.trust_mismatch' | 'p4.containment'>> = {
  P4_TRUST_MISMATCH: 'p4.trust_mismatch',
  P4_CONTAINMENT: 'p4.containment',
  P4_COMMAND_REFUSED: 'p4.containment',
};

/**
 * The failure that is thrown: one of security first, so that no server hides it behind an error of
 * another kind; then errors, then warnings.
 */
export function findGravest(
  failures: readonly { severity: number; error: CriticizerError }[],
): CriticizerError | undefined {
  const worst =
    failures.find(({ error }) => Object.hasOwn(securityCodes, error.code)) ??
    failures.find(({ severity }) => severity > 2) ??
    failures[0];
  return worst?.error;
}

/** The type of the security event that a failure raises; null where it raises none. */
export function securityEventFor(error: CriticizerError): 'p4.trust_mismatch' | 'p4.containment' | null {
  const spoke = error.code === 'P4_MALFORMED_OUTPUT' && error.details?.['why'] === textBeforeRecord;
  return spoke ? 'p4.containment' : (securityCodes[error.code] ?? null);
}
