import { attribute as a } from './attributes.js';
import { counter, everyProcess, gauge, seconds, waitSeconds } from './instrument.js';

const audit = [a.destination, a.tenantTier, a.environment, a.schemaVersion];

/** The audit trail; its nine metrics are computed from these by recording rules (AUD-18). */
export const auditInstruments = {
  auditWrite: counter(
    'criticizer.audit.write',
    '{event}',
    [...audit, a.outcome],
    'Admin writes that tried to record their event, by how that ended. Alert on `degraded`.',
  ),
  auditRedacted: counter(
    'criticizer.audit.redacted',
    '{event}',
    audit,
    'Recorded events with a field that redaction hid. Watch for a sudden drop.',
  ),
  auditTruncated: counter(
    'criticizer.audit.truncated',
    '{event}',
    audit,
    'Recorded events from which something was cut. Watch for spikes.',
  ),
  auditDelivered: counter('criticizer.audit.delivered', '{delivery}', audit, 'Deliveries that a sink took.'),
  auditRetried: counter(
    'criticizer.audit.retried',
    '{delivery}',
    audit,
    'Deliveries that a sink took at the second attempt or later.',
  ),
  auditDeliveryLatency: seconds(
    waitSeconds,
    'criticizer.audit.delivery.latency',
    audit,
    'From the recording of an event to its delivery, by the host’s clock.',
  ),
  auditBacklog: gauge(
    'criticizer.audit.backlog',
    '{delivery}',
    audit,
    `Deliveries that are pending, waiting for a retry or in progress. ${everyProcess}`,
  ),
  auditDeadLetters: gauge(
    'criticizer.audit.dead_letter.open',
    '{dead_letter}',
    audit,
    'Open dead letters of the audit; likewise. Alert on it.',
  ),
  auditDeadLetterAge: gauge(
    'criticizer.audit.dead_letter.age_max',
    'min',
    audit,
    'Age of the oldest open dead letter of the audit, in minutes; 0 without one; likewise. Alert on it.',
  ),
  auditSealed: counter(
    'criticizer.audit.sealed',
    '{event}',
    [],
    'Audit events that a seal holds since this process began.',
  ),
  auditUnsealedAge: gauge(
    'criticizer.audit.unsealed.age_max',
    's',
    [],
    'Age of the oldest event that no seal held when the sealer last looked; 0 where all were sealed. Alert on it.',
  ),
} as const;

/** Alerts and pagers. */
export const alertInstruments = {
  alertFiring: gauge(
    'criticizer.alert.firing',
    '{alert}',
    [a.alertKind, a.errorType],
    `Causes that fire now, whether somebody was paged or not. ${everyProcess}`,
  ),
  alertSourceFailed: counter(
    'criticizer.alert.source_failed',
    '{read}',
    [a.alertSource, a.errorType],
    'Readings of a source of alerts that failed; its alerts stay as they were. Alert on it by another way than a pager of this service.',
  ),
  killSwitchAge: gauge(
    'criticizer.kill_switch.age',
    's',
    [a.stopped],
    `How long the kill switch has stopped a destination, at most the 20 that are stopped longest; 0 after its release. A stop of all, or of \`telemetry:host\`, stops this metric too. ${everyProcess}`,
  ),
  pagerMessage: counter(
    'criticizer.pager.message',
    '{message}',
    [a.pager, a.pagerAction, a.outcome, a.errorType],
    'Messages to pagers by what became of them; one that was not taken is tried again as long as its alert stands. Alert on `refused`.',
  ),
} as const;
