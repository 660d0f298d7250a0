import { classifyStatus, type HttpResponse, isSuccess, parseRetryAfter } from '@criticizer/core/http';
import type { CriticizerError, DeliveryFailure, SendOutcome } from '@criticizer/core/ports';
import { isUnsent } from '../unsent-request.js';

/** How long a limit usually lasts, where the endpoint does not say. */
const LIMIT_MS = 30_000;

/** The receiver's word that it has this id already. */
const known = 409;

/** Statuses that say "not now" of every message, and that nothing was taken. */
const isLimit = (status: number): boolean => status === 425 || status === 429 || status === 502 || status === 504;

/** Statuses that say the same of every message to this endpoint: a wrong address, credential, method or media type. */
const isRefusal = (status: number): boolean =>
  (status >= 300 && status < 400) || [401, 402, 403, 404, 405, 407, 410, 415, 451].includes(status);

function describe(status: number, scope: DeliveryFailure['scope']): DeliveryFailure {
  const { code, category } = classifyStatus(status);
  return { scope, code, category, message: `The webhook's endpoint answered with HTTP status ${status}.` };
}

/**
 * What a status says: 2xx taken, and 409, by which a receiver says that it has the id; 425, 429, 502 and 504 an
 * outage; a redirect, 401, 403, 404, 410 and their like a refusal of the endpoint; 400, 413, 422 and every other
 * 4xx one of the message; 408 and other 5xx may have been taken. The body stays out: it may quote the message.
 */
export function readStatus({ status, headers }: Omit<HttpResponse, 'body'>, id: string, nowMs: number): SendOutcome {
  if (isSuccess(status) || status === known) return { kind: 'accepted', id };
  const asked = parseRetryAfter(headers, nowMs);
  const retryAfterMs = asked === undefined ? {} : { retryAfterMs: asked };
  if (isLimit(status)) {
    const failure = describe(status, 'transport');
    return { kind: 'rejected', permanent: false, failure, retryAfterMs: Math.max(asked ?? LIMIT_MS, 1) };
  }
  if (isRefusal(status)) return { kind: 'rejected', permanent: true, failure: describe(status, 'recipient') };
  if (status >= 400 && status < 500 && status !== 408)
    return { kind: 'rejected', permanent: true, failure: describe(status, 'message') };
  return { kind: 'ambiguous', failure: describe(status, 'transport'), ...retryAfterMs };
}

/** What a failed exchange says: a connection that was never made took nothing, any other may have. */
export function readNetworkFailure(error: CriticizerError): SendOutcome {
  const { code, category, message } = error;
  const failure: DeliveryFailure = { scope: 'transport', code, category, message: message.slice(0, 512) };
  return isUnsent(error) ? { kind: 'rejected', permanent: false, failure } : { kind: 'ambiguous', failure };
}
