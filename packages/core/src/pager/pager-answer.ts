import { classifyStatus, isSuccess } from '../foundation/failures/http-failure.js';
import { parseRetryAfter } from '../foundation/failures/retry-after.js';
import type { HttpClient, HttpResponse } from '../http/http-client.js';
import type { PagerAnswer, PagerContext, PagerFailure } from './pager.js';

/** One request of a pager. */
interface PagerRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

function toFailure(status: number): PagerFailure {
  const message = `The pager answered with HTTP status ${status}.`;
  return { code: classifyStatus(status).code, message, details: { status } };
}

/**
 * What a status alone says: 2xx taken; 408, 425, 429 and 5xx a retry, not before `Retry-After`;
 * everything else a refusal. A redirect is not followed: it would carry the credential elsewhere.
 */
export function answerPagerStatus({ status, headers }: Omit<HttpResponse, 'body'>, nowMs: number): PagerAnswer {
  if (isSuccess(status)) return { kind: 'taken' };
  const failure = toFailure(status);
  if (status === 408 || status === 425 || status === 429 || status >= 500)
    return { kind: 'retry', failure, retryAfterMs: parseRetryAfter(headers, nowMs) };
  return { kind: 'refused', failure };
}

/** Success whose body is not of the protocol: a proxy's page, say. It was perhaps taken, so it is a retry. */
export function unreadablePagerAnswer(status: number): PagerAnswer {
  const message = 'The pager answered with success and a body that is not of its protocol: is there a proxy between?';
  return { kind: 'retry', failure: { code: 'HTTP_MALFORMED', message, details: { status } } };
}

/** The body as a JSON object; null for anything else. */
export function readJsonAnswer({ body }: HttpResponse): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** Records what leaves, then posts exactly those bytes as JSON. Rejects as `beforeSend` and the client do. */
export async function postPage(
  http: HttpClient,
  { url, headers, body }: PagerRequest,
  { signal, beforeSend }: PagerContext,
): Promise<HttpResponse> {
  signal.throwIfAborted();
  const bytes = Buffer.from(body);
  await beforeSend({ host: new URL(url).host, bytes });
  signal.throwIfAborted();
  return http.exchange(
    { method: 'POST', url, headers: { 'content-type': 'application/json', ...headers }, body: bytes },
    { signal },
  );
}
