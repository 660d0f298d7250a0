import { createHash } from 'node:crypto';
import type { AuditEvent, NewAuditEvent } from '../../stores/audit-store.js';

/** The columns that both sides must agree on, besides the payload. */
const columns = [
  ...['actorType', 'actorId', 'tenantId', 'traceId', 'requestId', 'action', 'targetType', 'targetId'],
  ...['resultStatus', 'httpStatus', 'sourceIp', 'userAgent'],
] as const satisfies readonly (keyof NewAuditEvent)[];
/** Those by which an event of one side is recognised on the other though something else differs. */
const identity = ['action', 'actorId', 'tenantId', 'targetType', 'targetId'] as const;

/** One event of either side, in the space that many of them may take. */
export interface ComparedEvent {
  side: 'primary' | 'trail';
  atMs: number;
  /** Digest of everything that both sides must agree on. */
  fingerprint: string;
  /** Digest of what recognises the event. */
  identity: string;
  /** Digest of each column, in their order; then of the payload. */
  fields: readonly string[];
  sample: AuditComparisonSample;
}

/** An event of a comparison's report; texts are cut at 128 characters. */
export interface AuditComparisonSample {
  /** By the clock of its own log. */
  occurredAt: Date;
  action: string;
  tenantId: string | null;
  actorId: string | null;
  targetType: string | null;
  targetId: string | null;
  requestId: string | null;
  payloadSha256: string;
  /** Null for an event of the host's own log. */
  auditEventId: string | null;
}

const digest = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('base64').slice(0, length);

const cut = (text: string | null): string | null => (text === null ? null : text.slice(0, 128));

/** An event of the host's log as the trail would have stored it, or one that it did store. */
export function toComparedEvent(event: NewAuditEvent | AuditEvent, occurredAt: Date): ComparedEvent {
  const values = columns.map((column) => JSON.stringify(event[column]));
  const isStored = 'createdAt' in event;
  return {
    side: isStored ? 'trail' : 'primary',
    atMs: occurredAt.getTime(),
    fingerprint: digest(JSON.stringify([values, event.payloadSha256]), 43),
    identity: digest(JSON.stringify(identity.map((column) => event[column])), 43),
    fields: [...values.map((value) => digest(value, 8)), event.payloadSha256],
    sample: {
      occurredAt,
      action: cut(event.action) ?? '',
      tenantId: cut(event.tenantId),
      actorId: cut(event.actorId),
      targetType: cut(event.targetType),
      targetId: cut(event.targetId),
      requestId: cut(event.requestId),
      payloadSha256: event.payloadSha256,
      auditEventId: isStored ? event.id : null,
    },
  };
}

/** The names of what differs between two events: columns, and `payload`. */
export function listDifferingFields(one: ComparedEvent, other: ComparedEvent): readonly string[] {
  return [...columns, 'payload'].filter((_, at) => one.fields[at] !== other.fields[at]);
}
