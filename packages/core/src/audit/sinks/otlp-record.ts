import type { JsonValue } from '../../foundation/json.js';
import type { AuditEvent } from '../../stores/audit-store.js';
import { toWireEvent } from './wire-event.js';

/** A value of OTLP in JSON: 64-bit integers are strings, and a null has no value. */
type AnyValue = Readonly<Record<string, unknown>>;

function toAnyValue(value: JsonValue): AnyValue {
  if (value === null) return {};
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(toAnyValue) } };
  return { kvlistValue: { values: Object.entries(value).map(([key, one]) => ({ key, value: toAnyValue(one) })) } };
}

const severity = { success: 9, partial: 13, failure: 17 } as const; // INFO, WARN, ERROR

function traceIdOf({ traceId }: AuditEvent): { traceId?: string } {
  return traceId !== null && /^[0-9a-f]{32}$/.test(traceId) && !/^0+$/.test(traceId) ? { traceId } : {};
}

/**
 * One event as an ExportLogsServiceRequest in JSON. `timeUnixNano` is when the action happened, also
 * kept as `audit.occurred_at`, since a backend may replace the time of what comes days late.
 */
export function toLogsRequest(
  event: AuditEvent,
  idempotencyKey: string,
  resource: Readonly<Record<string, string>>,
): string {
  const { payload = {}, ...columns } = toWireEvent(event, idempotencyKey);
  const attributes = Object.entries(columns)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => ({ key: `audit.${key}`, value: toAnyValue(value as JsonValue) }));
  const record = {
    timeUnixNano: `${event.occurredAt.getTime()}000000`,
    observedTimeUnixNano: `${event.createdAt.getTime()}000000`,
    severityNumber: severity[event.resultStatus],
    eventName: `criticizer.audit.${event.action}`,
    body: toAnyValue(payload),
    attributes,
    ...traceIdOf(event),
  };
  const named = Object.entries(resource).map(([key, value]) => ({ key, value: { stringValue: value } }));
  return JSON.stringify({
    resourceLogs: [
      { resource: { attributes: named }, scopeLogs: [{ scope: { name: 'criticizer.audit' }, logRecords: [record] }] },
    ],
  });
}
