import type { ErrorCode } from '../error-codes.js';
import { CriticizerError, type FailureCategory } from '../errors.js';
import { parseRetryAfter } from './retry-after.js';

/** One row: the stable code and the failure table's category (ERR-1). */
export interface StatusFailure {
  code: ErrorCode;
  category: FailureCategory;
}

const byStatus: Readonly<Record<number, StatusFailure>> = {
  401: { code: 'AUTH_DENIED', category: 'auth' },
  402: { code: 'HTTP_PAYMENT_REQUIRED', category: 'policy' },
  403: { code: 'AUTH_DENIED', category: 'auth' },
  404: { code: 'HTTP_NOT_FOUND', category: 'not_found' },
  407: { code: 'AUTH_DENIED', category: 'auth' },
  408: { code: 'NETWORK_TIMEOUT', category: 'network' },
  409: { code: 'HTTP_CONFLICT', category: 'conflict' },
  410: { code: 'HTTP_NOT_FOUND', category: 'not_found' },
  421: { code: 'UPSTREAM_UNAVAILABLE', category: 'network' },
  423: { code: 'HTTP_CONFLICT', category: 'conflict' },
  425: { code: 'UPSTREAM_UNAVAILABLE', category: 'network' },
  429: { code: 'RATE_LIMITED', category: 'rate_limit' },
  451: { code: 'HTTP_REJECTED', category: 'policy' },
  502: { code: 'UPSTREAM_UNAVAILABLE', category: 'network' },
  503: { code: 'UPSTREAM_UNAVAILABLE', category: 'network' },
  504: { code: 'UPSTREAM_UNAVAILABLE', category: 'network' },
  529: { code: 'UPSTREAM_OVERLOADED', category: 'upstream' },
};

/**
 * The row for a status that is not a success. Redirects are never followed and mean a wrong base
 * URL, so they are `bug`. A vendor whose statuses mean something else (a 429 for spent money) looks
 * at its body first.
 */
export function classifyStatus(status: number): StatusFailure {
  const own = byStatus[status];
  if (own !== undefined) return own;
  if (status >= 500 && status <= 599) return { code: 'UPSTREAM_ERROR', category: 'upstream' };
  if (status >= 400 && status <= 499) return { code: 'HTTP_REJECTED', category: 'validation' };
  if (status >= 300 && status <= 399) return { code: 'HTTP_REDIRECTED', category: 'bug' };
  return { code: 'HTTP_MALFORMED', category: 'upstream' };
}

/** True for 200 to 299. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** The error for an answer that is not a success: category, code and `retryAfterMs`; the body stays out. */
export function httpFailure(
  response: { status: number; headers: Readonly<Record<string, string>> },
  context: { host: string; nowMs: number },
): CriticizerError {
  const { code, category } = classifyStatus(response.status);
  return new CriticizerError(code, `HTTP status ${response.status}`, {
    category,
    retryAfterMs: parseRetryAfter(response.headers, context.nowMs),
    details: { status: response.status, host: context.host },
  });
}
