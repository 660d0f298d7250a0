import type { AuditTrail } from '../audit/audit-trail.js';
import type { SecurityEvents } from '../telemetry/security-events.js';
import type { Alerter } from './alerter.js';
import { describeDegradedAudit, describeSecurityEvent } from './conditions.js';

/** Who takes reports: an alerter, or the `alerts` of a Criticizer. */
export type AlertReports = Pick<Alerter, 'raise'>;

/** The same receiver, which also raises an alert for the events that somebody must act on. */
export function watchSecurityEvents(events: SecurityEvents, alerts: () => AlertReports | null): SecurityEvents {
  return {
    emit(event) {
      const found = describeSecurityEvent(event);
      if (found !== null) alerts()?.raise(found.condition, { lastsMs: found.lastsMs });
      return events.emit(event);
    },
  };
}

/**
 * The same trail, which also raises an alert where an event could not be stored (AUD-3). Wrap the
 * trail that the host records its own admin actions with: a Criticizer wraps only its own use.
 */
export function watchAuditTrail<Tx>(trail: AuditTrail<Tx>, alerts: AlertReports): AuditTrail<Tx> {
  return {
    ...trail,
    async record(entry, options) {
      const recorded = await trail.record(entry, options);
      if (recorded.outcome === 'degraded') {
        const { condition, lastsMs } = describeDegradedAudit(recorded.errorCode);
        alerts.raise(condition, { lastsMs });
      }
      return recorded;
    },
  };
}
