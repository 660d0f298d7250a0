/** Turns a secret into 32 hex digits that compare equal for equal secrets and lead nowhere without the host's key. */
export type Fingerprint = (value: string) => string;

const MIN_KEY_BYTES = 16;

/**
 * HMAC-SHA256 under the host's key, cut to 128 bits. Throws a TypeError when the key is missing or
 * shorter than 16 bytes.
 */
export function createFingerprint(key: Uint8Array | string): Fingerprint {
  const usable = typeof key === 'string' ? Buffer.byteLength(key) : key instanceof Uint8Array ? key.byteLength : -1;
  if (usable < MIN_KEY_BYTES)
    throw new TypeError('createRedactor: fingerprintKey: expected a Uint8Array or string of at least 16 bytes');
  const copy = Buffer.from(typeof key === 'string' ? Buffer.from(key) : key);
  // Loaded by the first finding: it takes longer than the redactor itself.
  return (value) =>
    process.getBuiltinModule('node:crypto').createHmac('sha256', copy).update(value).digest('hex').slice(0, 32);
}
