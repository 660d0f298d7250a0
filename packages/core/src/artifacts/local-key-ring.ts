import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { checkOptions } from '../foundation/check-options.js';
import { partWith } from '../foundation/contract.js';
import { CriticizerError } from '../foundation/errors.js';
import { checkName } from '../foundation/option-checks.js';
import { revealSecret } from '../secrets/secret.js';
import type { SecretSource, SecretVersion } from '../secrets/secret-source.js';
import type { KeyContext, KeyProvider } from './key-provider.js';

const nonceBytes = 12;
const tagBytes = 16;

function keyOf(version: SecretVersion, name: string): Buffer {
  const key = Buffer.from(revealSecret(version.secret), 'base64');
  if (key.length !== 32)
    // A mistyped key is as good as a missing one: a person cures it, and then all goes on (INT-4).
    throw new CriticizerError('KEY_INVALID', `The key "${name}" must be 32 bytes in base64; it has ${key.length}.`, {
      category: 'auth',
      parks: true,
      details: { name },
    });
  return key;
}

/** Names a key without telling anything of it. */
function keyId(key: Buffer): string {
  return createHmac('sha256', key).update('criticizer.key-id').digest('hex').slice(0, 16);
}

function bound(context: KeyContext): Buffer {
  return Buffer.from(JSON.stringify(['key', context.namespace, context.artifactId]), 'utf8');
}

/**
 * Key-encryption keys from a secret source (ART-2): new artifacts are wrapped under the current
 * version, older ones open under the previous one as long as the source still gives it. Rotation:
 * make the old key the previous one, and keep it until the longest retention has passed.
 */
export function createLocalKeyRing(options: { source: SecretSource; name: string }): KeyProvider {
  checkOptions<typeof options>('createLocalKeyRing', options, { source: partWith('read'), name: checkName });
  const { source, name } = options;
  return {
    async wrap(dataKey, context) {
      const { current } = await source.read(name);
      const key = keyOf(current, name);
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
      cipher.setAAD(bound(context));
      const wrapped = Buffer.concat([nonce, cipher.update(dataKey), cipher.final(), cipher.getAuthTag()]);
      return { kekId: keyId(key), wrapped };
    },
    async unwrap(wrapped, kekId, context) {
      const { current, previous } = await source.read(name);
      const key = [current, previous]
        .flatMap((version) => (version === undefined ? [] : [keyOf(version, name)]))
        .find((k) => keyId(k) === kekId);
      if (key === undefined)
        throw new CriticizerError(
          'KEY_UNKNOWN',
          `The key ${kekId} is neither the current nor the previous version of "${name}".`,
          {
            category: 'auth',
            parks: true,
            details: { name },
          },
        );
      const rejected = (): CriticizerError =>
        new CriticizerError('KEY_REJECTED', 'A wrapped data key does not authenticate.', { category: 'validation' });
      if (wrapped.length !== nonceBytes + 32 + tagBytes) throw rejected();
      const decipher = createDecipheriv('aes-256-gcm', key, wrapped.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAAD(bound(context));
      decipher.setAuthTag(wrapped.subarray(wrapped.length - tagBytes));
      const dataKey = decipher.update(wrapped.subarray(nonceBytes, wrapped.length - tagBytes));
      try {
        decipher.final();
      } catch {
        throw rejected();
      }
      return dataKey;
    },
  };
}
