// Migrations of the service are admin actions: the audit trail holds who applied which steps.
import { type Actor, type Logger, type Stores, systemRandom } from '@criticizer/core';
import { applyMigrations, createAuditTrail } from '@criticizer/core/audit';
import { createPayloadRedactor } from '@criticizer/redact';
import type { Configuration } from '../config/configuration.js';
import { listAuditDestinations } from './audit-sinks.js';

/** The account that a process of the service acts as by itself. */
const serviceActor: Actor = { type: 'service_account', id: 'review-service' };

/** Who migrates, why, and where the event is delivered to. */
export interface MigrateOptions {
  audit: Configuration['audit'];
  logger: Logger;
  /** Default: the service, by its configuration. */
  actor?: Actor | undefined;
  reason?: string | undefined;
}

/** Applies what is missing, and records it. Gives the steps. Rejects as `stores.migrate()` does. */
export async function migrateStores(
  stores: Stores<unknown>,
  { audit, logger, actor = serviceActor, reason = 'MIGRATE is auto' }: MigrateOptions,
): Promise<{ outcome: readonly { module: string; name: string; sql: string }[] }> {
  const trail = createAuditTrail({
    ...{ store: stores.audit, redactor: createPayloadRedactor(), destinations: listAuditDestinations(audit) },
    ...{ random: systemRandom, logger },
  });
  return applyMigrations({ stores, audit: trail }, { actor, reason });
}
