import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CriticizerError } from '../errors.js';
import { sanitizeError } from './sanitize-error.js';

const secret = `secret-${randomBytes(6).toString('hex')}`;
const redactText = (text: string): string => text.replaceAll(secret, '[REDACTED]');

describe('sanitizeError', () => {
  it('ERR-8: message, stack and causes are redacted, other fields of an error are not taken', () => {
    const cause = Object.assign(new Error(`denied for ${secret}`), { response: { body: secret } });
    const error = Object.assign(new Error(`call with ${secret} failed`, { cause }), { request: { headers: { authorization: secret } } });
    const sanitized = sanitizeError(error, redactText);
    expect(JSON.stringify(sanitized)).not.toContain(secret);
    expect(sanitized).toMatchObject({ name: 'Error', message: 'call with [REDACTED] failed', details: {} });
    expect(sanitized.stack).toContain('caused by');
    expect(sanitizeError(`plain ${secret}`, redactText).message).toBe('plain [REDACTED]');
  });

  it('ERR-8: what cannot be redacted is withheld, and long texts are cut', () => {
    const failing = (): string => {
      throw new Error(secret);
    };
    const withheld = sanitizeError(new CriticizerError('A_CODE', `about ${secret}`), failing);
    expect(JSON.stringify(withheld)).not.toContain(secret);
    expect(withheld.code).toBe('A_CODE');
    const long = sanitizeError(new Error('ä'.repeat(9_000)), redactText);
    expect(Buffer.byteLength(long.message)).toBeLessThanOrEqual(1_024);
    expect(Buffer.byteLength(long.stack)).toBeLessThanOrEqual(8_192);
  });
});
