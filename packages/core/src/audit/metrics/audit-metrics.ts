import { checkOptions } from '../../foundation/check-options.js';
import { isJsonObject } from '../../foundation/json.js';
import { checkFunction, checkName, optional, withMethods } from '../../foundation/option-checks.js';
import type { AuditDelivery, AuditEvent, AuditStore, NewAuditEvent } from '../../stores/audit-store.js';
import { attribute as a, metric } from '../../telemetry/names.js';
import type { Attributes, Telemetry } from '../../telemetry/telemetry.js';
import { auditSchemaVersion } from '../audit-entry.js';
import { metaNames } from '../truncation/truncate-payload.js';

/** Where the audit's metrics go, and what their labels say. */
export interface AuditMetricsOptions {
  telemetry: Telemetry;
  /** The label `environment`, such as `production`. */
  environment: string;
  /**
   * The label `tenant_tier` of a tenant; null: events without one. A handful of values: each is a
   * series. Default: `all` for everybody.
   */
  tenantTier?: ((tenantId: string | null) => string) | undefined;
}

/** Emits the series from which the nine metrics of the audit are computed (AUD-18). Never throws. */
export interface AuditMetrics {
  /** One attempt of an admin write to record its event, and how it ended. */
  written(event: NewAuditEvent, outcome: (typeof OUTCOMES)[number]): void;
  /** One delivery that a sink took; `latencyMs` since it was stored. */
  delivered(delivery: AuditDelivery, event: AuditEvent, latencyMs: number): void;
  /** What the store counts now, by destination. */
  counted(counts: Awaited<ReturnType<AuditStore<unknown>['stats']>>): void;
}

/** The label `destination` of what concerns the event itself, whatever its sinks. */
const EVENTS = 'audit_events';
const ALL_TIERS = 'all';
/** How a write can end: each is a series from the start. */
const OUTCOMES = ['recorded', 'degraded', 'failed'] as const;

function readApplied(payload: NewAuditEvent['payload'], meta: string, field: string): boolean {
  const found = payload[meta];
  if (!isJsonObject(found)) return false;
  const value = found[field];
  return value === true || (typeof value === 'number' && value > 0);
}

/** Makes the metrics of one process. Throws `TypeError` for a missing or unknown option. */
export function createAuditMetrics(options: AuditMetricsOptions): AuditMetrics {
  checkOptions<AuditMetricsOptions>('createAuditMetrics', options, {
    telemetry: withMethods('count', 'record', 'gauge'),
    environment: checkName,
    tenantTier: optional(checkFunction),
  });
  const { telemetry, environment, tenantTier } = options;
  const tierOf = (tenantId: string | null): string => {
    try {
      return tenantTier?.(tenantId) ?? ALL_TIERS;
    } catch {
      return ALL_TIERS; // a host's function must not fail its own admin write
    }
  };
  const label = (destination: string, tier: string, schemaVersion: number): Attributes => ({
    [a.destination]: destination,
    [a.tenantTier]: tier,
    [a.environment]: environment,
    [a.schemaVersion]: String(schemaVersion),
  });
  // A counter that was never added to is absent, and a rule over an absent series never fires.
  const all = label(EVENTS, ALL_TIERS, auditSchemaVersion);
  for (const outcome of OUTCOMES) telemetry.count(metric.auditWrite, 0, { ...all, [a.outcome]: outcome });
  return {
    written(event, outcome) {
      const labels = label(EVENTS, tierOf(event.tenantId), event.schemaVersion);
      for (const one of OUTCOMES)
        telemetry.count(metric.auditWrite, one === outcome ? 1 : 0, { ...labels, [a.outcome]: one });
      if (outcome !== 'recorded') return;
      const { payload } = event;
      const isRedacted = readApplied(payload, metaNames.redaction, 'fields_redacted_count');
      telemetry.count(metric.auditRedacted, isRedacted ? 1 : 0, labels);
      telemetry.count(metric.auditTruncated, readApplied(payload, metaNames.truncation, 'applied') ? 1 : 0, labels);
    },
    delivered({ destination, attemptCount }, event, latencyMs) {
      const labels = label(destination, tierOf(event.tenantId), event.schemaVersion);
      telemetry.record(metric.auditDeliveryLatency, Math.max(0, latencyMs) / 1_000, labels);
      telemetry.count(metric.auditDelivered, 1, labels);
      telemetry.count(metric.auditRetried, attemptCount > 1 ? 1 : 0, labels);
    },
    counted(counts) {
      for (const { destination, pending, deadLettersOpen, oldestDeadLetterMs } of counts) {
        const labels = label(destination, ALL_TIERS, auditSchemaVersion);
        telemetry.gauge(metric.auditBacklog, pending, labels);
        telemetry.gauge(metric.auditDeadLetters, deadLettersOpen, labels);
        telemetry.gauge(metric.auditDeadLetterAge, oldestDeadLetterMs / 60_000, labels);
      }
    },
  };
}
