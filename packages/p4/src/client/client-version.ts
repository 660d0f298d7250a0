import { CriticizerError, isCriticizerError } from '@criticizer/core/ports';

/**
 * Returns `P4_CLIENT_TOO_OLD` where the client shows the pinned key and calls it unknown: it looks pins
 * up by address alone, as versions before 2021.2 do. Any other error comes back as it is.
 */
export function explainUnusedPin(error: unknown, pin: string | undefined): unknown {
  if (!isCriticizerError(error) || error.code !== 'P4_TRUST_UNKNOWN' || pin === undefined) return error;
  if (error.details['fingerprint'] !== pin.toUpperCase()) return error;
  const says = 'The p4 client does not find the pin of a host name: TLS by name needs version 2021.2 or later.';
  return new CriticizerError('P4_CLIENT_TOO_OLD', says, { category: 'validation' });
}
