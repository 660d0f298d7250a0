import type { ErrorCode } from './error-codes.js';
import type { JsonObject } from './json.js';

/**
 * The nine rows of the failure table (ERR-1), plus nothing: every failure is one of these.
 * `network`, `rate_limit`, `upstream` and `conflict` are retryable; the others are not.
 */
export type FailureCategory =
  | 'network'
  | 'rate_limit'
  | 'upstream'
  | 'conflict'
  | 'validation'
  | 'auth'
  | 'not_found'
  | 'policy'
  | 'bug';

const brand = Symbol.for('criticizer.error');

/**
 * What an error carries besides its code and message: category, cause, details, and when to try
 * again.
 */
export interface CriticizerErrorOptions {
  /** Which row of the failure table this is; policy follows from it. Default `bug`. */
  category?: FailureCategory | undefined;
  /** What the upstream asked for, in milliseconds from now. */
  retryAfterMs?: number | undefined;
  /**
   * True where the failure is an outage that waiting cures (expired ticket with a refresh path,
   * open breaker, kill switch): the stage is parked, no attempt is spent (INT-4, rulings R9 and
   * R13). Default false.
   */
  parks?: boolean | undefined;
  /** Allow-listed facts for operators: ids, counts, status codes. Never a body, a path of code, a secret. */
  details?: JsonObject | undefined;
  cause?: unknown;
}

/**
 * Every error this SDK throws on purpose. Switch over `code`, which is stable within a major
 * version; messages may change. Keep a default branch: a later version and a part of your own may
 * bring codes that the union has not. Holds no request or response body and no secret.
 */
export class CriticizerError<Code extends string = ErrorCode> extends Error {
  /** Stable identifier such as `NETWORK_TIMEOUT`; it is the dead letter's `error_class` (ERR-7). */
  readonly code: Code;
  readonly category: FailureCategory;
  readonly retryAfterMs: number | undefined;
  readonly parks: boolean;
  readonly details: JsonObject;

  constructor(code: Code, message: string, options: CriticizerErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CriticizerError';
    this.code = code;
    this.category = options.category ?? 'bug';
    this.retryAfterMs = options.retryAfterMs;
    this.parks = options.parks ?? false;
    this.details = options.details ?? {};
    Object.defineProperty(this, brand, { value: true });
  }
}

/** True for a CriticizerError of any copy of the SDK in this process, where `instanceof` sees only its own. */
export function isCriticizerError(value: unknown): value is CriticizerError {
  try {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true;
  } catch {
    return false; // a revoked proxy
  }
}
