import { CriticizerError } from '../../foundation/errors.js';
import type { Clock } from '../../foundation/time/clock.js';
import type { HttpClient, HttpResponse } from '../../http/http-client.js';
import { revealSecret, type Secret } from '../../secrets/secret.js';
import type { LlmCallOptions, PreparedLlmRequest } from '../llm-provider.js';
import type { CredentialName } from './provider-options.js';

/** Sends a prepared request with its credential. One answer, whatever its status. */
export type AuthorizedExchange = (prepared: PreparedLlmRequest, options: LlmCallOptions) => Promise<HttpResponse>;

/** The header that carries a key. `authorization` carries it as `Bearer`. */
export type KeyHeader = 'authorization' | 'api-key' | 'x-api-key' | 'x-goog-api-key';

/** A credential and the header that carries it. */
export interface KeyedExchangeOptions {
  http: HttpClient;
  /** Left out for an endpoint that asks for none. */
  apiKey?: CredentialName | undefined;
  header: KeyHeader;
  clock: Pick<Clock, 'monotonicMs'>;
  /** Whether an answer denies the key. Default: its status is 401. */
  isDenied?: ((response: HttpResponse) => boolean) | undefined;
}

/** Whether the status is 401. */
export function isUnauthorized(response: HttpResponse): boolean {
  return response.status === 401;
}

/** `AUTH_DENIED` (auth, parks): the credential's source is a refresh path (INT-4, ruling R13). */
export function credentialDenied(response: HttpResponse, host: string): CriticizerError {
  return new CriticizerError('AUTH_DENIED', 'the model endpoint denied the credential', {
    category: 'auth',
    parks: true,
    details: { status: response.status, host },
  });
}

const headerToken = /^[\x21-\x7e]+$/;

/** The credential as a header. Throws `SECRET_REJECTED` (auth, parks) for one that no header can carry. */
function keyHeader(header: KeyHeader, secret: Secret): Record<string, string> {
  const value = revealSecret(secret);
  if (!headerToken.test(value))
    throw new CriticizerError('SECRET_REJECTED', 'the API key holds characters that no header can carry', {
      category: 'auth',
      parks: true,
      details: { reason: 'characters' },
    });
  return { [header]: header === 'authorization' ? `Bearer ${value}` : value };
}

/**
 * Joins the key to the request for the length of one call (SEC-4). Where an answer denies the
 * current key, it tries the key before it (dual-key overlap, SEC-5), then a newer one if the source has got
 * it meanwhile. All of it within one deadline.
 */
export function createKeyedExchange({
  http,
  apiKey,
  header,
  clock,
  isDenied = isUnauthorized,
}: KeyedExchangeOptions): AuthorizedExchange {
  const exchange = async (
    prepared: PreparedLlmRequest,
    secret: Secret | null,
    { signal }: LlmCallOptions,
    endsAt: number,
  ): Promise<HttpResponse> => {
    const headers = { ...prepared.headers, ...(secret === null ? {} : keyHeader(header, secret)) };
    return http.exchange(
      { method: prepared.method, url: prepared.url, headers, body: prepared.body },
      { signal, timeoutMs: Math.max(1, Math.floor(endsAt - clock.monotonicMs())) },
    );
  };

  return async (prepared, options) => {
    const endsAt = clock.monotonicMs() + options.timeoutMs;
    if (apiKey === undefined) return exchange(prepared, null, options, endsAt);
    const tried = new Set<string>();
    const first = await apiKey.source.read(apiKey.name, { signal: options.signal });
    tried.add(first.current.version);
    let response = await exchange(prepared, first.current.secret, options, endsAt);
    if (isDenied(response) && first.previous !== undefined && !tried.has(first.previous.version)) {
      tried.add(first.previous.version);
      response = await exchange(prepared, first.previous.secret, options, endsAt);
    }
    if (!isDenied(response)) return response;
    const { current } = await apiKey.source.read(apiKey.name, { signal: options.signal });
    return tried.has(current.version) ? response : exchange(prepared, current.secret, options, endsAt);
  };
}
