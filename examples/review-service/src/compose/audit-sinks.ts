// Where audit events go: the sinks of the configuration.
import { type AuditSink, createWebhookSink } from '@criticizer/core/audit-delivery';
import { createHttpClient } from '@criticizer/core/http';
import type { Configuration } from '../config/configuration.js';
import { secretIn } from '../config/files.js';

/** The name of the one destination, in rows, keys and the kill switch (`sink:webhook`). */
export const webhookDestination = 'webhook';

/** Destinations that each audit event gets a delivery for. */
export function listAuditDestinations(audit: Configuration['audit']): readonly string[] {
  return audit === null ? [] : [webhookDestination];
}

/** The sinks of the configuration. The operator named the origin, so it may be private. */
export function createAuditSinks(audit: Configuration['audit']): readonly AuditSink[] {
  if (audit === null) return [];
  const { url, secretFile } = audit;
  const http = createHttpClient({ allowPrivateOrigins: [new URL(url).origin] });
  const sink = createWebhookSink({ id: webhookDestination, url, http, secret: secretIn(secretFile) });
  return [{ ...sink, close: () => http.close() }];
}
