import { CriticizerError } from '../../foundation/errors.js';
import type { Clock } from '../../foundation/time/clock.js';
import type { HttpClient, HttpResponse } from '../../http/http-client.js';
import type { AuthorizedExchange } from '../http-provider/keyed-exchange.js';
import type { LlmCallOptions, PreparedLlmRequest } from '../llm-provider.js';
import { readAwsErrorName } from './bedrock-failure.js';
import { type AwsCredentials, signAwsRequest } from './sign-aws.js';

/** How requests are signed. */
export interface SignedExchangeOptions {
  http: HttpClient;
  /** Called before every request; cache and renew there, as the vendor's credential chains do. */
  credentials(options: { signal: AbortSignal }): Promise<AwsCredentials>;
  region: string;
  service: string;
  clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
}

/** Answers that newer credentials may end. */
const deniedNames: ReadonlySet<string> = new Set([
  'ExpiredTokenException',
  'ExpiredToken',
  'UnrecognizedClientException',
  'InvalidClientTokenId',
  'AccessDeniedException',
]);
/** Answers that the right time may end. */
const clockNames: ReadonlySet<string> = new Set([
  'RequestTimeTooSkewed',
  'InvalidSignatureException',
  'SignatureDoesNotMatch',
]);
/** The vendor takes signatures that are at most five minutes off. */
const allowedSkewMs = 4 * 60_000;

function checkCredentials(credentials: AwsCredentials): AwsCredentials {
  const isText = (value: unknown): boolean => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  if (isText(accessKeyId) && isText(secretAccessKey) && (sessionToken === undefined || isText(sessionToken)))
    return credentials;
  throw new CriticizerError('SECRET_REJECTED', 'the AWS credentials hold characters that no header can carry', {
    category: 'auth',
    parks: true,
    details: { reason: 'characters' },
  });
}

/** How far the server's clock is ahead of ours, where that explains a refused signature; else 0. */
function readSkewMs(response: HttpResponse, nowMs: number): number {
  const serverMs = Date.parse(response.headers['date'] ?? '');
  const skewMs = serverMs - nowMs;
  return Number.isFinite(skewMs) && Math.abs(skewMs) > allowedSkewMs ? skewMs : 0;
}

/**
 * Signs the request for the length of one call (SEC-4). Denied credentials are read once more and
 * tried if they changed; a signature refused for the time is made once more at the server's time.
 * All of it within one deadline.
 */
export function createSignedExchange(options: SignedExchangeOptions): AuthorizedExchange {
  const { http, clock, region, service } = options;
  const exchange = (
    prepared: PreparedLlmRequest,
    credentials: AwsCredentials,
    skewMs: number,
    { signal }: LlmCallOptions,
    endsAt: number,
  ): Promise<HttpResponse> => {
    const { method, url, headers, body } = prepared;
    const type = { 'content-type': headers['content-type'] ?? 'application/json' };
    const now = new Date(clock.nowMs() + skewMs);
    const signed = signAwsRequest({ method, url, headers: type, body }, credentials, { region, service, now });
    const timeoutMs = Math.max(1, Math.floor(endsAt - clock.monotonicMs()));
    return http.exchange({ method, url, headers: { ...headers, ...signed }, body }, { signal, timeoutMs });
  };

  return async (prepared, call) => {
    const endsAt = clock.monotonicMs() + call.timeoutMs;
    const read = async (): Promise<AwsCredentials> => checkCredentials(await options.credentials(call));
    const first = await read();
    const response = await exchange(prepared, first, 0, call, endsAt);
    if (response.status !== 401 && response.status !== 403) return response;
    const name = readAwsErrorName(response);
    const skewMs = clockNames.has(name) ? readSkewMs(response, clock.nowMs()) : 0;
    if (skewMs !== 0) return exchange(prepared, first, skewMs, call, endsAt);
    if (!deniedNames.has(name)) return response;
    const second = await read();
    const isSame = second.accessKeyId === first.accessKeyId && second.sessionToken === first.sessionToken;
    return isSame ? response : exchange(prepared, second, 0, call, endsAt);
  };
}
