import { createHmac, randomBytes } from 'node:crypto';

/**
 * Tags values so that equal values compare equal within this source and nothing can be turned back
 * or compared elsewhere: HMAC-SHA256 with a salt that dies with the process.
 */
export function createVersionTag(): (value: string) => string {
  const salt = randomBytes(32);
  return (value) => createHmac('sha256', salt).update(value).digest('base64url').slice(0, 16);
}
