import { randomBytes } from 'node:crypto';

/**
 * The key of the fingerprints, from the environment; one of this run alone where none is set, so
 * that fingerprints of two runs do not compare.
 */
export function readFingerprintKey(): Uint8Array {
  const key = process.env['REDACT_FINGERPRINT_KEY'];
  return key === undefined ? randomBytes(32) : Buffer.from(key, 'base64');
}
