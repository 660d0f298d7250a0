import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { CriticizerError } from '../../foundation/errors.js';
import { revealSecret, type Secret } from '../../secrets/secret.js';
import type { SecretSource } from '../../secrets/secret-source.js';
import { keyIdOf } from './seal-statement.js';

/** The secret that holds an Ed25519 private key: PEM (PKCS #8), or the Base64 of its DER form. */
export interface SealKey {
  source: SecretSource;
  name: string;
}

const isPem = (text: string): boolean => text.includes('-----BEGIN');

function isEd25519(key: KeyObject | null): key is KeyObject {
  return key?.asymmetricKeyType === 'ed25519';
}

/** The key of a text; null for any text that holds none. */
function readKey(read: () => KeyObject): KeyObject | null {
  try {
    return read();
  } catch {
    return null; // OpenSSL's error may quote what it read
  }
}

function readPrivateKey(secret: Secret): KeyObject | null {
  const text = revealSecret(secret).trim();
  return readKey(() =>
    isPem(text)
      ? createPrivateKey(text)
      : createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' }),
  );
}

/**
 * The current private key. Read for each pass, so that a rotation needs no restart. Rejects as the
 * source does, and with `KEY_INVALID` for a secret that is no Ed25519 private key.
 */
export async function readSealKey({ source, name }: SealKey, signal: AbortSignal): Promise<KeyObject> {
  const { current } = await source.read(name, { signal });
  const key = readPrivateKey(current.secret);
  if (isEd25519(key)) return key;
  throw new CriticizerError('KEY_INVALID', `The key "${name}" must be an Ed25519 private key, in PEM or Base64.`, {
    category: 'auth',
    parks: true,
    details: { name },
  });
}

/** The public key of a sealer's private key, in PEM: what verifiers are given. Rejects as `readSealKey`. */
export async function readSealPublicKey(key: SealKey, options: { signal?: AbortSignal } = {}): Promise<string> {
  const privateKey = await readSealKey(key, options.signal ?? new AbortController().signal);
  return createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
}

/**
 * Public keys by their ids, from PEM or Base64 of DER: the current one, and those before it whose
 * seals are still verified. Throws `TypeError` naming the option for a text that is no Ed25519 public key.
 */
export function readPublicKeys(option: string, texts: readonly string[]): ReadonlyMap<string, KeyObject> {
  if (!Array.isArray(texts) || texts.length === 0) throw new TypeError(`${option}: expected at least one public key`);
  const keys = texts.map((text: unknown, at) => {
    const trimmed = typeof text === 'string' ? text.trim() : '';
    const key = readKey(() =>
      isPem(trimmed)
        ? createPublicKey(trimmed)
        : createPublicKey({ key: Buffer.from(trimmed, 'base64'), format: 'der', type: 'spki' }),
    );
    // `createPublicKey` would derive one from a private key, which must not lie where verifiers read.
    if (!isEd25519(key) || trimmed.includes('PRIVATE KEY'))
      throw new TypeError(`${option}[${at}]: expected an Ed25519 public key, in PEM or Base64`);
    return [keyIdOf(key), key] as const;
  });
  return new Map(keys);
}
