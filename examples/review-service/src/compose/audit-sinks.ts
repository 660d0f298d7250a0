// Where audit events go: the sinks of the configuration.
import { toShadowDestination } from '@criticizer/core/audit';
import { type AuditSink, createShadowSink, createWebhookSink } from '@criticizer/core/audit-delivery';
import { createHttpClient } from '@criticizer/core/http';
import type { Configuration } from '../config/configuration.js';
import { secretIn } from '../config/files.js';

/** The name of the destination, in rows, keys and the kill switch (`sink:webhook`). */
export const webhookDestination = 'webhook';

/** Destinations that each audit event gets a delivery for; the shadow's where its flag is on. */
export function listAuditDestinations(audit: Configuration['audit']): readonly string[] {
  if (audit === null) return [];
  return [webhookDestination, ...(audit.shadow === null ? [] : [toShadowDestination(webhookDestination)])];
}

/** Posts to one endpoint. The operator named the origin, so it may be private. */
function createSink({ url, secretFile }: { url: string; secretFile: string }): AuditSink {
  const http = createHttpClient({ allowPrivateOrigins: [new URL(url).origin] });
  const sink = createWebhookSink({ id: webhookDestination, url, http, secret: secretIn(secretFile) });
  return { ...sink, close: () => http.close() };
}

/** The sinks of the configuration. */
export function createAuditSinks(audit: Configuration['audit']): readonly AuditSink[] {
  if (audit === null) return [];
  return [createSink(audit), ...(audit.shadow === null ? [] : [createShadowSink(createSink(audit.shadow))])];
}
