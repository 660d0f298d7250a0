import { classifyStatus, type HttpClient, type HttpResponse, parseRetryAfter } from '@criticizer/core/http';
import {
  CriticizerError,
  type DeliveryFailure,
  type ErrorCode,
  type FailureCategory,
  isCriticizerError,
  type SecretSource,
  type SendOutcome,
} from '@criticizer/core/ports';
import { isUnsent } from '../unsent-request.js';

/** Where a credential comes from: read before every use, so that a rotation needs no restart (SEC-5). */
export interface ChatSecret {
  source: SecretSource;
  /** Its name there. */
  name: string;
}

/** How long a limit usually lasts where the server does not say. */
const usualLimitMs = 30_000;

function toFailure(
  scope: DeliveryFailure['scope'],
  code: ErrorCode,
  category: FailureCategory,
  message: string,
): DeliveryFailure {
  return { scope, code, category, message };
}

/** What a server's answer means for a post. `word` says what it was, in its protocol's own fixed words. */
export const answers = {
  /** Nothing of this sender gets through: it waits and spends no attempt. */
  limited: (retryAfterMs: number | undefined, word: string): SendOutcome => ({
    kind: 'rejected',
    permanent: false,
    failure: toFailure('transport', 'RATE_LIMITED', 'rate_limit', `The server limits posts: ${word}.`),
    retryAfterMs: Math.max(retryAfterMs ?? usualLimitMs, 1_000),
  }),
  unavailable: (word: string): SendOutcome => ({
    kind: 'rejected',
    permanent: false,
    failure: toFailure('transport', 'UPSTREAM_UNAVAILABLE', 'network', `Nothing was posted: ${word}.`),
  }),
  targetRefused: (word: string): SendOutcome => ({
    kind: 'rejected',
    permanent: true,
    failure: toFailure('recipient', 'CHANNEL_TARGET_REFUSED', 'not_found', `The place takes no posts: ${word}.`),
  }),
  messageRefused: (word: string, permanent = true): SendOutcome => ({
    kind: 'rejected',
    permanent,
    failure: toFailure('message', 'CHANNEL_POST_REFUSED', 'validation', `The server refused the post: ${word}.`),
  }),
  ambiguous: (word: string): SendOutcome => ({
    kind: 'ambiguous',
    failure: toFailure('transport', 'CHANNEL_ANSWER_LOST', 'network', `The post may have been taken: ${word}.`),
  }),
} as const;

/** A credential that the server does not take: it parks, and no attempt is spent. */
export function loginRefused(channelId: string, word: string): CriticizerError {
  return new CriticizerError('AUTH_DENIED', `The credential of the channel "${channelId}" is refused: ${word}.`, {
    category: 'auth',
    parks: true,
    details: { channel: channelId, answer: word },
  });
}

/** What a failed exchange means: a fault before a byte left is an outage, any other may have posted. */
export function answerFault(error: unknown): SendOutcome {
  if (!isCriticizerError(error)) throw error;
  return isUnsent(error) ? answers.unavailable(error.code) : answers.ambiguous(error.code);
}

/** The statuses that mean the same to every chat; undefined for what each reads itself. */
export function answerStatus({ status, headers }: HttpResponse, nowMs: number): SendOutcome | undefined {
  const word = `HTTP status ${status}`;
  if (status === 429) return answers.limited(parseRetryAfter(headers, nowMs), word);
  if (status === 408 || status >= 500) return answers.ambiguous(word);
  // A redirect was not followed: it would carry the credential elsewhere.
  if (status >= 300 && status < 400) return answers.unavailable(classifyStatus(status).code);
  return undefined;
}

/** One request. */
export interface ChatPost {
  http: HttpClient;
  url: URL;
  bytes: Uint8Array;
  /** Default: JSON. */
  contentType?: string | undefined;
  /** Default 1,000,000. */
  maxAnswerBytes?: number | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  timeoutMs: number;
  signal: AbortSignal;
}

const jsonType = 'application/json; charset=utf-8';
const usualAnswerBytes = 1_000_000;

/** Posts the bytes, once. Rejects as `HttpClient` does. */
export function postBytes(post: ChatPost): Promise<HttpResponse> {
  const { http, url, bytes, contentType = jsonType, maxAnswerBytes = usualAnswerBytes, headers } = post;
  return http.exchange(
    {
      method: 'POST',
      url: url.href,
      headers: { ...headers, 'content-type': contentType },
      body: bytes,
    },
    { signal: post.signal, timeoutMs: post.timeoutMs, maxResponseBytes: maxAnswerBytes },
  );
}

/** The body as a JSON object; null for anything else. */
export function readJsonObject({ body }: Pick<HttpResponse, 'body'>): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { ...value } : null;
  } catch {
    return null;
  }
}
