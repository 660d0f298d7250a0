import { classifyStatus, type HttpClient, type HttpResponse, isSuccess, parseRetryAfter } from '@criticizer/core/http';
import {
  type Clock,
  CriticizerError,
  isCriticizerError,
  revealSecret,
  type SecretSource,
} from '@criticizer/core/ports';
import { isUnsent } from '../unsent-request.js';

/** The server, and as whom it is called. */
export interface CodeReviewAccess {
  /** Address with the path that the server lives under, without `/` at its end. */
  url: string;
  /** The account that posts and looks up. */
  user: string;
  /** Its ticket, or a password where the server takes one: read before every call. */
  ticket: { source: SecretSource; name: string };
  http: HttpClient;
  requestTimeoutMs: number;
  clock: Pick<Clock, 'nowMs'>;
}

/** One call of the API. */
export interface CodeReviewCall {
  method: 'GET' | 'POST';
  /** Below the server's address, with its query: `/api/v11/reviews/1`. */
  path: string;
  body?: Uint8Array | undefined;
  maxResponseBytes: number;
  signal: AbortSignal;
  /** Awaited once, when the ticket is at hand and before the request leaves; a rejection stops the call. */
  onRequest?: (() => Promise<void>) | undefined;
}

/**
 * - `transport`: nothing of this account gets through, or this is no address of the API; wait. No effect was made.
 * - `recipient`: the topic is closed to the account, or gone. `message`: the request itself is refused.
 * - `ambiguous`: it may have taken effect.
 */
export type CodeReviewScope = 'ambiguous' | 'message' | 'recipient' | 'transport';

/** What the server answered, or how it failed. `data` is the envelope's, not checked. */
export type CodeReviewResult =
  | { kind: 'done'; data: unknown }
  | { kind: 'failed'; scope: CodeReviewScope; error: CriticizerError };

/** By the server, or by a proxy before it. */
const isLoginRefused = (status: number): boolean => status === 401 || status === 407;

function scopeOfStatus(status: number): CodeReviewScope {
  if (isLoginRefused(status) || status === 429 || status === 503) return 'transport';
  if (status === 403 || status === 404) return 'recipient';
  // A redirect was not followed, and a request that the server refused took no effect.
  if (status >= 300 && status < 400) return 'transport';
  return status >= 400 && status < 500 && status !== 408 ? 'message' : 'ambiguous';
}

function describeRefusal(status: number, isElsewhere: boolean): string {
  if (status === 401) return 'P4 Code Review refused the login: its ticket may have expired.';
  if (status === 407) return 'A proxy before P4 Code Review requires a login of its own.';
  if (isElsewhere)
    return 'The address of P4 Code Review has no API v11 at this path: a wrong address, a proxy, or an older server.';
  return `P4 Code Review answered with status ${status}.`;
}

/** `isOfApi`: the answer has the form of the API's. */
function failed(
  status: number,
  { host, isOfApi }: { host: string; isOfApi: boolean },
  retryAfterMs: number | undefined,
): CodeReviewResult {
  const { code, category } = classifyStatus(status);
  // Without that form it says nothing of a topic: a proxy, a firewall, a wrong address.
  const isElsewhere = !isOfApi && (status === 403 || status === 404);
  const error = new CriticizerError(code, describeRefusal(status, isElsewhere), {
    ...{ category, retryAfterMs, parks: isLoginRefused(status) || isElsewhere },
    details: { status, host },
  });
  return { kind: 'failed', scope: isElsewhere ? 'transport' : scopeOfStatus(status), error };
}

function parseEnvelope(body: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** A success may hold a failure: the server answers some with 200. */
function readAnswer(response: HttpResponse, host: string, nowMs: number): CodeReviewResult {
  const retryAfterMs = parseRetryAfter(response.headers, nowMs);
  const envelope = parseEnvelope(response.body);
  // Gateways answer in JSON too, with words in `error`.
  const isOfApi = typeof envelope?.['error'] === 'number';
  if (!isSuccess(response.status)) return failed(response.status, { host, isOfApi }, retryAfterMs);
  if (envelope === null) {
    const message = 'P4 Code Review answered with success and no JSON: is there a proxy between?';
    const error = new CriticizerError('HTTP_MALFORMED', message, { category: 'upstream', details: { host } });
    return { kind: 'failed', scope: 'ambiguous', error };
  }
  const { error, data } = envelope;
  // Some answers name it and leave it empty.
  if (!error) return { kind: 'done', data: data ?? envelope };
  const status = typeof error === 'number' && error >= 400 && error <= 599 ? error : 401;
  return failed(status, { host, isOfApi: true }, retryAfterMs);
}

function failedOnTheWay(error: CriticizerError): CodeReviewResult {
  return { kind: 'failed', scope: isUnsent(error) ? 'transport' : 'ambiguous', error };
}

/** A ticket in a file ends with one. */
const withoutLineBreak = (ticket: string): string => ticket.replace(/[\r\n]+$/, '');

/**
 * Calls the API once, with user and ticket on the call, within the time limit. A ticket that is refused during a
 * rotation gives way to the one before it. Rejects with what the secret source and `onRequest` throw and
 * with an abort before the call; all else is a result, which holds no word of the server.
 */
export async function callCodeReview(access: CodeReviewAccess, call: CodeReviewCall): Promise<CodeReviewResult> {
  const { url, user, ticket, http, requestTimeoutMs, clock } = access;
  const { method, path, body, maxResponseBytes, signal } = call;
  const { current, previous } = await ticket.source.read(ticket.name, { signal });
  signal.throwIfAborted();
  await call.onRequest?.();
  const { host } = new URL(url);

  async function callWith(word: string): Promise<CodeReviewResult> {
    const headers = {
      accept: 'application/json',
      authorization: `Basic ${Buffer.from(`${user}:${word}`).toString('base64')}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    try {
      const request = { method, url: `${url}${path}`, headers, body };
      const response = await http.exchange(request, { signal, timeoutMs: requestTimeoutMs, maxResponseBytes });
      return readAnswer(response, host, clock.nowMs());
    } catch (error) {
      if (!isCriticizerError(error)) throw error;
      return failedOnTheWay(error);
    }
  }

  const result = await callWith(withoutLineBreak(revealSecret(current.secret)));
  const isRefusedLogin = result.kind === 'failed' && result.error.parks;
  return isRefusedLogin && previous !== undefined ? callWith(withoutLineBreak(revealSecret(previous.secret))) : result;
}
