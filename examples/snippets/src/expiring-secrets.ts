// Warns of old credentials, and keeps expired ones from being used.
import type { SecurityEvents, Telemetry } from '@criticizer/core';
import { createExpiringSecrets, type SecretSource } from '@criticizer/core/ports';

/** A source that parks what needs an expired key, and how old the key is. */
export async function watchKey(source: SecretSource, securityEvents: SecurityEvents, telemetry: Telemetry) {
  // #region expiring-secrets
  const secrets = createExpiringSecrets({ source, onExpiry: 'park', securityEvents, telemetry });
  const { state, days } = await secrets.readAge('LLM_KEY'); // state: 'ageing' from 80 days, 'expired' from 90
  // #endregion
  return { secrets, state, days };
}
