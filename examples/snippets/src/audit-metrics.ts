// #region metrics
import { type Stores, silentLogger, systemRandom } from '@criticizer/core';
import { type AuditTrail, createAuditMetrics, createAuditTrail, measureAuditStore } from '@criticizer/core/audit';
import type { PayloadRedactor, Telemetry } from '@criticizer/core/ports';

/** A trail that counts what it records, and counts of the store every 15 seconds. */
export function openMeasuredTrail<Tx>(
  stores: Pick<Stores<Tx>, 'audit'>,
  redactor: PayloadRedactor,
  telemetry: Telemetry,
): { trail: AuditTrail<Tx>; stop(): void } {
  const metrics = createAuditMetrics({ telemetry, environment: 'production', tenantTier: () => 'standard' });
  const store = measureAuditStore(stores.audit, metrics); // the worker gets this one, too
  const parts = { redactor, destinations: ['siem'], random: systemRandom, logger: silentLogger };
  const timer = setInterval(() => void store.stats().catch(() => undefined), 15_000);
  return { trail: createAuditTrail({ ...parts, store, metrics }), stop: () => clearInterval(timer) };
}
// #endregion
