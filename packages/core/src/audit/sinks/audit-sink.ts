import type { JsonObject } from '../../foundation/json.js';
import type { AuditEvent } from '../../stores/audit-store.js';

/** What one delivery carries besides its event. */
export interface SinkContext {
  /**
   * `<destination>:<audit_event_id>:v<n>`, the same at every attempt (AUD-15). The far end treats a
   * repeat as done; a far end that cannot gets the key as a field, so that a reader can.
   */
  idempotencyKey: string;
  /** Aborts when the lease is lost, the worker stops, or the send took too long. */
  signal: AbortSignal;
}

/** Why an event was not delivered. */
export interface SinkFailure {
  /**
   * A code of the failure table where one fits (`AUTH_DENIED`, `HTTP_REJECTED`, `RATE_LIMITED`,
   * `NETWORK_RESET`), else the sink's own. One cause has one code: a confirming retry compares it.
   */
  code: string;
  /** For an operator: no payload, no secret, no body of an answer. Cut at 1,024 UTF-8 bytes when stored. */
  message: string;
  /**
   * `event`: another event may pass. `destination`: none would, so its breaker counts this failure.
   */
  about: 'event' | 'destination';
  /** Allow-listed facts: status, the far end's own code, a field's name. */
  details?: JsonObject | undefined;
}

/**
 * What became of one send (AUD-13, AUD-15).
 *
 * - `delivered`: accepted, or the far end says that it has the key already (`duplicate`).
 * - `retry`: network, 429, 5xx, time-out; `retryAfterMs` is the wait that the far end wants.
 * - `confirm`: the far end refuses, and one further attempt must say so again before a dead letter.
 * - `dead-letter`: no further attempt can help.
 * - `accepted`: taken, and confirmed later; `poll` is called with the receipt after `pollAfterMs`.
 */
export type SinkAnswer =
  | { kind: 'delivered'; duplicate?: boolean | undefined }
  | { kind: 'retry'; failure: SinkFailure; retryAfterMs?: number | undefined }
  | { kind: 'confirm'; failure: SinkFailure }
  | { kind: 'dead-letter'; failure: SinkFailure }
  | { kind: 'accepted'; receipt: JsonObject; pollAfterMs: number };

/** How a test of the connection ended. */
export type SinkTest = { ok: true } | { ok: false; failure: SinkFailure };

/**
 * One external destination of audit events: a SIEM, a webhook, a file (AUD-4). Hold it to the port
 * with `describeAuditSinkContract` of `@criticizer/core/testing`.
 */
export interface AuditSink {
  /** The version of this port that the sink is written to. */
  readonly contract: 1;
  /** The destination's name in the outbox, 1 to 128 characters; every delivery's key begins with it. */
  readonly id: string;
  /**
   * Sends one event once. Never retries by itself. What it throws is classified by the failure table:
   * network, rate limit and upstream are retried, the rest is confirmed once. Settles soon after
   * `signal` aborts; what the far end took by then may be sent again under the same key.
   */
  send(event: AuditEvent, context: SinkContext): Promise<SinkAnswer>;
  /** For sinks that answer `accepted`: looks once whether the far end has confirmed. Sends no event. */
  poll?(receipt: JsonObject, context: SinkContext): Promise<SinkAnswer>;
  /** Checks reach and credential without delivering an event, for a doctor or a button. */
  testConnection?(options: { signal: AbortSignal }): Promise<SinkTest>;
  /** Ends connections and files. Called once, when nothing is sent any more. */
  close?(): Promise<void>;
}
