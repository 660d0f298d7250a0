import type { JsonObject } from '../foundation/json.js';
import type { Alert } from './alert.js';

/** Why a pager did not take a message. */
export interface PagerFailure {
  /** A code of the failure table where one fits, else the pager's own: `AUTH_DENIED`, `RATE_LIMITED`. */
  code: string;
  /** For an operator: no secret, no body of an answer. */
  message: string;
  /** Allow-listed facts, such as the HTTP status. */
  details?: JsonObject | undefined;
}

/**
 * What became of one message.
 *
 * - `taken`: the far end has accepted it, or it changes nothing there: a resolve without an open incident.
 * - `retry`: network, 408, 429, 5xx. It may have been taken all the same. `retryAfterMs` is the wait
 *   that the far end wants.
 * - `refused`: a clear no, nothing was taken. The same message would be refused again; a person must act.
 */
export type PagerAnswer =
  | { kind: 'taken' }
  | { kind: 'retry'; failure: PagerFailure; retryAfterMs?: number | undefined }
  | { kind: 'refused'; failure: PagerFailure };

/** What each call is given besides the alert. */
export interface PagerContext {
  /** Aborts when the process stops, or the call took too long. */
  signal: AbortSignal;
  /** True where an earlier call for this very message may have been taken: its answer was lost. */
  isRepeat: boolean;
  /**
   * Awaited right before the bytes go to the connection: checks the kill switch and commits the egress
   * record (EGR-1, EGR-4). Where it rejects, nothing may be sent, and the call rejects with its reason.
   */
  beforeSend(wire: { host: string; bytes: Uint8Array }): Promise<void>;
}

/**
 * One place that wakes people: a pager service, a webhook, a mailbox. Never retries by itself. What it
 * throws is classified by the failure table: retryable failures are retried, others count as refused.
 * Hold it to the port with `describePagerContract` of `@criticizer/core/testing`.
 */
export interface Pager {
  /** The version of this port that the part is written to. */
  readonly contract: 1;
  /** 1 to 64 letters, digits, `_` and `-`; the kill switch knows it as `pager:<id>`. */
  readonly id: string;
  /**
   * Opens an incident for `alert.key`, or repeats that of an open one: the far end must not page twice
   * for a key that is open there.
   */
  trigger(alert: Alert, context: PagerContext): Promise<PagerAnswer>;
  /** Closes the incident of `alert.key`. Without an open one it is `taken`. */
  resolve(alert: Alert, context: PagerContext): Promise<PagerAnswer>;
  /** Ends connections. Called once, when nothing is sent any more. */
  close?(): Promise<void>;
}
