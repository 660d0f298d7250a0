import { createHmac } from 'node:crypto';
import { CriticizerError } from '../../foundation/errors.js';
import { revealSecret, type Secret } from '../../secrets/secret.js';
import type { SecretSource } from '../../secrets/secret-source.js';

/** Bytes of a signing secret that Standard Webhooks allows. */
const [fewestBytes, mostBytes] = [24, 64];

/** The key of `whsec_` and Base64, or of Base64 alone. Rejects what the standard does not allow. */
function readKey(secret: Secret, name: string): Buffer {
  const text = revealSecret(secret).replace(/^whsec_/, '');
  const key = Buffer.from(text, 'base64');
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  if (isBase64 && key.length >= fewestBytes && key.length <= mostBytes) return key;
  throw new CriticizerError(
    'SECRET_REJECTED',
    `The webhook secret must be Base64 of ${fewestBytes} to ${mostBytes} bytes.`,
    {
      category: 'auth',
      parks: true,
      details: { name },
    },
  );
}

/**
 * `webhook-signature` of Standard Webhooks: `v1,` and the HMAC-SHA256 of id, timestamp and body, once
 * for the current secret and once for the one before during a rotation (SEC-5): the receiver
 * takes either. Rejects as the source does, and with `SECRET_REJECTED` for a secret of another form.
 */
export async function signWebhook(
  signed: { id: string; timestamp: number; body: string },
  { source, name }: { source: SecretSource; name: string },
  signal: AbortSignal,
): Promise<string> {
  const { current, previous } = await source.read(name, { signal });
  const secrets = previous === undefined ? [current] : [current, previous];
  return secrets
    .map(({ secret }) => {
      const mac = createHmac('sha256', readKey(secret, name));
      return `v1,${mac.update(`${signed.id}.${signed.timestamp}.${signed.body}`).digest('base64')}`;
    })
    .join(' ');
}
