import { createHash } from 'node:crypto';
import { canonicalJson } from '../canonical-json.js';
import type { PayloadRedactor } from '../egress/redactor.js';
import { isCriticizerError } from '../errors.js';
import { classifyFailure } from '../failure.js';
import type { JsonObject, JsonValue } from '../json.js';
import type { Logger } from '../telemetry/logger.js';
import type { Random } from '../time/random.js';
import type { AuditEvent, AuditStore, NewAuditEvent } from './audit-store.js';

/** Version of the event's shape; part of every delivery's idempotency key (ruling R3). */
export const auditSchemaVersion = 1;

/** What a host says of an admin action. */
export interface AuditEntry {
  actorType: NewAuditEvent['actorType'];
  actorId?: string | undefined;
  /** Verb and object: `admin.user.update`. */
  action: string;
  resultStatus: NewAuditEvent['resultStatus'];
  tenantId?: string | undefined;
  traceId?: string | undefined;
  requestId?: string | undefined;
  targetType?: string | undefined;
  targetId?: string | undefined;
  httpStatus?: number | undefined;
  sourceIp?: string | undefined;
  userAgent?: string | undefined;
  /** Anything; redacted before it is stored (AUD-5..8). */
  payload?: unknown;
}

/**
 * `degraded`: the event could not be stored and the admin write goes on (AUD-3). Call `logFallback` after the host's transaction committed:
 * the platform log then carries fingerprint and error code (ruling R12).
 */
export type AuditRecorded =
  | { degraded: false; event: AuditEvent }
  | { degraded: true; fingerprint: string; errorCode: string; logFallback(): void };

export interface AuditTrail<Tx> {
  /** Event and one delivery per destination, in the caller's transaction when `tx` is given (AUD-2). Throws `TypeError` for a malformed entry, and a serialization failure, which dooms the caller's transaction anyway. */
  record(entry: AuditEntry, options?: { tx?: Tx | undefined }): Promise<AuditRecorded>;
}

/** Tries after the first, inside the host's transaction (AUD-3). */
const retries = 2;

function serializationFailure(error: unknown): boolean {
  return isCriticizerError(error) && error.details['sqlState'] === '40001';
}

function payloadOf(redactor: PayloadRedactor, payload: unknown): JsonObject {
  const asObject = typeof payload === 'object' && payload !== null && !Array.isArray(payload) ? payload : { value: payload ?? null };
  let value: JsonValue;
  try {
    value = redactor.redact(asObject).value;
  } catch {
    return { withheld: 'redaction failed' }; // the admin write must not fail, and what was thrown may quote the payload
  }
  const object = typeof value === 'object' && value !== null && !Array.isArray(value);
  return object ? (value as JsonObject) : { value: value as JsonValue };
}

function eventOf(entry: AuditEntry, redactor: PayloadRedactor, id: string): NewAuditEvent {
  if (!/^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$/.test(entry.action))
    throw new TypeError('audit entry: action must be verb and object in lower case, such as "admin.user.update"');
  const payload = payloadOf(redactor, entry.payload);
  return {
    id,
    occurredAt: null,
    actorType: entry.actorType,
    actorId: entry.actorId ?? null,
    tenantId: entry.tenantId ?? null,
    traceId: entry.traceId ?? null,
    requestId: entry.requestId ?? null,
    action: entry.action,
    targetType: entry.targetType ?? null,
    targetId: entry.targetId ?? null,
    resultStatus: entry.resultStatus,
    httpStatus: entry.httpStatus ?? null,
    sourceIp: entry.sourceIp ?? null,
    userAgent: entry.userAgent ?? null,
    payload,
    payloadSha256: createHash('sha256').update(canonicalJson(payload)).digest('hex'),
    schemaVersion: auditSchemaVersion,
  };
}

/** Records admin and operator actions beside the action itself. */
export function createAuditTrail<Tx>(options: {
  store: AuditStore<Tx>;
  redactor: PayloadRedactor;
  /** Names of the external sinks; each gets its own delivery. */
  destinations: readonly string[];
  random: Random;
  logger: Logger;
}): AuditTrail<Tx> {
  const { store, redactor, destinations, random, logger } = options;
  return {
    async record(entry, { tx } = {}) {
      const event = eventOf(entry, redactor, random.uuid());
      for (let attempt = 0; ; attempt++) {
        try {
          return { degraded: false, event: await store.record(event, destinations, { tx }) };
        } catch (error) {
          if (error instanceof TypeError || serializationFailure(error)) throw error;
          const failure = classifyFailure(error);
          if (failure.category === 'conflict' && attempt < retries) continue;
          const facts = { auditEventId: event.id, action: event.action, fingerprint: event.payloadSha256, errorCode: failure.code };
          const logFallback = (): void => logger.error(facts, 'audit event could not be stored');
          return { degraded: true, fingerprint: event.payloadSha256, errorCode: failure.code, logFallback };
        }
      }
    },
  };
}
