// Audit events recorded and delivered: compiled and run, and shown by docs/how-to/deliver-audit-events.md.
// #region audit
import { createFileSecrets, systemRandom } from '@criticizer/core';
import { type AuditTrail, createAuditTrail, silentLogger } from '@criticizer/core/audit';
import { type AuditDelivery, createAuditDelivery, createWebhookSink } from '@criticizer/core/audit-delivery';
import type { HttpClient } from '@criticizer/core/http';
import type { Stores } from '@criticizer/core/ports';
import { createPayloadRedactor } from '@criticizer/redact';

/** Where the events go, and where the signing secret lies: a file AUDIT_WEBHOOK_SECRET, mode 0600. */
export interface AuditReach {
  url: string;
  secretsDirectory: string;
  /** Of `createHttpClient`. */
  http: HttpClient;
}

/** A trail that records into the stores, and a worker that sends what it recorded. */
export function openAudit<Tx>(
  stores: Stores<Tx>,
  { url, secretsDirectory, http }: AuditReach,
): { trail: AuditTrail<Tx>; delivery: AuditDelivery } {
  const logger = silentLogger; // yours
  const trail = createAuditTrail({
    store: stores.audit,
    redactor: createPayloadRedactor(),
    destinations: ['siem'],
    random: systemRandom,
    logger,
  });
  const siem = createWebhookSink({
    id: 'siem',
    url,
    http,
    secret: { source: createFileSecrets({ directory: secretsDirectory }), name: 'AUDIT_WEBHOOK_SECRET' },
  });
  return { trail, delivery: createAuditDelivery({ store: stores.audit, sinks: [siem], logger }) };
}
// #endregion
