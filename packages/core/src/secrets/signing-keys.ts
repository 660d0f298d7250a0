import { CriticizerError } from '../foundation/errors.js';
import { revealSecret, type Secret } from './secret.js';
import type { SecretSource } from './secret-source.js';

/** Which form a signing secret has. */
export interface SigningKeyForm {
  /** In the message of a refusal: `webhook secret`. */
  what: string;
  /** The fewest and most bytes of a key. */
  bytes: readonly [fewest: number, most: number];
  /** The Base64 in the text of the secret. */
  unwrap(text: string): string;
}

function readKey(secret: Secret, name: string, { what, bytes: [fewest, most], unwrap }: SigningKeyForm): Buffer {
  const text = unwrap(revealSecret(secret));
  const key = Buffer.from(text, 'base64');
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(text) && key.length >= fewest && key.length <= most) return key;
  throw new CriticizerError('SECRET_REJECTED', `The ${what} must be Base64 of ${fewest} to ${most} bytes.`, {
    category: 'auth',
    parks: true,
    details: { name },
  });
}

/**
 * The current key and, during a rotation, the one before (SEC-5). Rejects as the source does, and with
 * `SECRET_REJECTED` (auth) for a secret of another form.
 */
export async function readSigningKeys(
  { source, name }: { source: SecretSource; name: string },
  form: SigningKeyForm,
  signal: AbortSignal,
): Promise<readonly [Buffer, ...Buffer[]]> {
  const { current, previous } = await source.read(name, { signal });
  const key = readKey(current.secret, name, form);
  return previous === undefined ? [key] : [key, readKey(previous.secret, name, form)];
}
