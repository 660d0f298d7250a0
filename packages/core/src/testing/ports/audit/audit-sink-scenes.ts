import { createHash } from 'node:crypto';
import type { AuditSink } from '../../../audit/sinks/audit-sink.js';
import type { AuditEvent } from '../../../stores/audit-store.js';

/**
 * What the far end does from now on.
 *
 * - `takes`: stores the event and says so. The scene of a fresh far end.
 * - `loses-reply`: stores the event; the connection ends without an answer.
 * - `knows-key`: answers as it does to a key that it has already, where it can tell.
 * - `rate-limits`: 429 with `Retry-After: 7`, nothing stored.
 * - `fails`: 503, nothing stored.
 * - `refuses-event`: its clear no to this event: 400, 422 or its own form of it.
 * - `refuses-in-part`: answers 200, and the answer says that this event was not stored.
 * - `denies`: its no to the credential: 401 or 403.
 * - `stalls`: reads the request and never answers.
 * - `answers-in-html`: 200 with a page of HTML, as a proxy's login page; nothing stored.
 */
export type SinkScene =
  | 'takes'
  | 'loses-reply'
  | 'knows-key'
  | 'rate-limits'
  | 'fails'
  | 'refuses-event'
  | 'refuses-in-part'
  | 'denies'
  | 'stalls'
  | 'answers-in-html';

/** One event as the far end stored it, a repeat once more. */
export interface ReceivedEvent {
  /** The idempotency key, from the header or field that carries it. */
  key: string;
  /** The event's id, from its body. */
  eventId: string;
  /** When the action happened, in milliseconds since the epoch, from a field of its own. */
  occurredAtMs: number;
  action: string;
}

/** A sink and the far end that it talks to. */
export interface AuditSinkUnderTest {
  sink: AuditSink;
  /** What the far end stored, in order of arrival. */
  received(): Promise<readonly ReceivedEvent[]>;
  /** From now on the far end plays this scene. */
  play(scene: SinkScene): void | Promise<void>;
  /** Resolves once the far end has read a request in the scene `stalls`. */
  stalled?(): Promise<void>;
  dispose(): Promise<void>;
}

/** Makes a sink and its far end for each case. */
export interface AuditSinkHarness {
  /** A fresh far end for each case. */
  create(): Promise<AuditSinkUnderTest>;
  /** Scenes that this kind of far end cannot play, each with the reason. `takes` is always played. */
  without?: Partial<Record<Exclude<SinkScene, 'takes'>, string>> | undefined;
  /** How long one call of the sink may take, in milliseconds. Default 4,000. */
  deadlineMs?: number | undefined;
}

/** The contract's n-th event: the same for the same number, with what is hard to carry on a wire. */
export function eventNumber(n: number): { event: AuditEvent; key: string } {
  const tail = createHash('sha256').update(`event ${n}`).digest('hex').slice(0, 12);
  const id = `0198c0de-0000-7000-8000-${tail}`;
  const payload = {
    reason: 'Größe "<b>" & \u{1f600}\n\ttab, 5 €',
    nested: { list: [1, -0.5, null, true, { deep: ['x'] }], empty: {} },
    long: 'y'.repeat(3_000),
  };
  const occurredAt = new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 123 + n));
  const event: AuditEvent = {
    id,
    occurredAt,
    createdAt: new Date(occurredAt.getTime() + 5),
    actorType: 'admin_user',
    actorId: 'ada@example.test',
    tenantId: 'tenant-1',
    traceId: '0af7651916cd43dd8448eb211c80319c',
    requestId: `request-${n}`,
    action: 'admin.user.update',
    targetType: 'user',
    targetId: 'grace',
    resultStatus: 'success',
    httpStatus: 200,
    sourceIp: '192.0.2.7',
    userAgent: 'Agent/1.0 (contract; "quoted")',
    payload,
    payloadSha256: createHash('sha256').update(JSON.stringify(payload)).digest('hex'),
    schemaVersion: 1,
  };
  return { event, key: `contract:${id}:v1` };
}
