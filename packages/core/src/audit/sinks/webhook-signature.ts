import { createHmac } from 'node:crypto';
import type { SecretSource } from '../../secrets/secret-source.js';
import { readSigningKeys, type SigningKeyForm } from '../../secrets/signing-keys.js';

/** As Standard Webhooks allows: `whsec_` and Base64, or Base64 alone. */
const keyForm: SigningKeyForm = {
  what: 'webhook secret',
  bytes: [24, 64],
  unwrap: (text) => text.replace(/^whsec_/, ''),
};

/**
 * `webhook-signature` of Standard Webhooks: `v1,` and the HMAC-SHA256 of id, timestamp and body, once
 * for the current secret and once for the one before during a rotation (SEC-5): the receiver
 * takes either. Rejects as the source does, and with `SECRET_REJECTED` for a secret of another form.
 */
export async function signWebhook(
  signed: { id: string; timestamp: number; body: string },
  secret: { source: SecretSource; name: string },
  signal: AbortSignal,
): Promise<string> {
  return (await readSigningKeys(secret, keyForm, signal))
    .map((key) => {
      const mac = createHmac('sha256', key);
      return `v1,${mac.update(`${signed.id}.${signed.timestamp}.${signed.body}`).digest('base64')}`;
    })
    .join(' ');
}
