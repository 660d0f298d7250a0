import { readFile } from 'node:fs/promises';
import { checkOptions, type OptionShape } from '../../foundation/check-options.js';
import { partWith } from '../../foundation/contract.js';
import { CriticizerError } from '../../foundation/errors.js';
import { httpFailure, isSuccess } from '../../foundation/failures/http-failure.js';
import { checkedElsewhere, checkName, nested, optional, withMethods } from '../../foundation/option-checks.js';
import type { Clock } from '../../foundation/time/clock.js';
import { systemClock } from '../../foundation/time/system-clock.js';
import type { HttpClient } from '../../http/http-client.js';
import { revealSecret, Secret } from '../../secrets/secret.js';
import type { SecretSource, SecretVersions } from '../../secrets/secret-source.js';
import { readCode } from '../http-provider/provider-failures.js';
import { type CredentialName, readBaseUrl } from '../http-provider/provider-options.js';
import { fields, items, parseBody, text, tokens } from '../http-provider/read-json.js';

/** An application of Entra ID, and how it proves who it is. */
export interface EntraTokenSourceOptions {
  http: HttpClient;
  tenantId: string;
  clientId: string;
  /** The application's secret. Exactly one of this and `federatedTokenFile`. */
  clientSecret?: CredentialName | undefined;
  /** Workload identity: the file with the platform's token. Read for each request, as it rotates. */
  federatedTokenFile?: string | undefined;
  /**
   * What the token is for. `https://cognitiveservices.azure.com/.default` for `*.openai.azure.com`,
   * `https://ai.azure.com/.default` for `*.services.ai.azure.com`.
   */
  scope: string;
  /** Default `https://login.microsoftonline.com`. */
  authority?: string | undefined;
  /** For one request of a token. Milliseconds, default 10,000. */
  timeoutMs?: number | undefined;
  clock?: Pick<Clock, 'nowMs'> | undefined;
}

const optionShape: OptionShape<EntraTokenSourceOptions> = {
  http: withMethods('exchange'),
  tenantId: checkName,
  clientId: checkName,
  clientSecret: optional(nested<CredentialName>({ source: partWith('read'), name: checkName })),
  federatedTokenFile: optional(checkName),
  scope: checkName,
  authority: optional(checkName),
  timeoutMs: optional(checkedElsewhere),
  clock: optional(withMethods('nowMs')),
};

const maker = 'createEntraTokenSource';

/** A token is replaced this long before it expires, so that a call of minutes ends under it. */
const renewBeforeMs = 5 * 60_000;

interface Token {
  versions: SecretVersions;
  renewAtMs: number;
}

/** The vendor's numbers for a wrong secret or an unknown application stand in `error_codes`. */
function denied(body: Uint8Array, status: number, host: string): CriticizerError {
  const reply = fields(parseBody(body));
  const numbers = items(reply['error_codes']).filter((one) => typeof one === 'number' && Number.isSafeInteger(one));
  return new CriticizerError('AUTH_DENIED', 'Entra ID issued no token', {
    category: 'auth',
    parks: true,
    details: { status, host, error: readCode(reply['error']), codes: numbers.slice(0, 5).join(',') },
  });
}

/**
 * A source of bearer tokens of Entra ID by the client credentials grant. It keeps a token in memory
 * until five minutes before its end; concurrent reads share one request. Every name reads the same
 * token. Throws `AUTH_DENIED` (auth, parks) where the vendor refuses, else the network's errors;
 * `TypeError` for bad options. The request goes to `authority`: a destination of its own.
 */
export function createEntraTokenSource(options: EntraTokenSourceOptions): SecretSource {
  checkOptions(maker, options, optionShape);
  const { http, tenantId, clientId, clientSecret, federatedTokenFile, scope, clock = systemClock } = options;
  if ((clientSecret === undefined) === (federatedTokenFile === undefined))
    throw new TypeError(`${maker}: expected exactly one of clientSecret and federatedTokenFile`);
  const authority = readBaseUrl(maker, options.authority ?? 'https://login.microsoftonline.com', 'authority');
  const url = `${authority}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`;
  const { host } = new URL(url);

  const proof = async (): Promise<Record<string, string>> => {
    if (clientSecret !== undefined) {
      const { current } = await clientSecret.source.read(clientSecret.name);
      return { client_secret: revealSecret(current.secret) };
    }
    const assertion = await readFile(federatedTokenFile ?? '', 'utf8').catch(() => '');
    if (assertion.trim() === '')
      throw new CriticizerError('SECRET_MISSING', 'the file with the federated token is missing or empty', {
        category: 'auth',
        parks: true,
        details: { option: 'federatedTokenFile' },
      });
    return {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion.trim(),
    };
  };

  let issued = 0;
  const request = async (): Promise<Token> => {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      scope,
      ...(await proof()),
    });
    const response = await http.exchange(
      {
        method: 'POST',
        url,
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        // The vendor's own client writes a space as %20.
        body: form.toString().replaceAll('+', '%20'),
      },
      { timeoutMs: options.timeoutMs ?? 10_000 },
    );
    if (response.status === 400 || response.status === 401) throw denied(response.body, response.status, host);
    if (!isSuccess(response.status)) throw httpFailure(response, { host, nowMs: clock.nowMs() });
    const reply = fields(parseBody(response.body));
    const value = text(reply['access_token']);
    if (value === '')
      throw new CriticizerError('UPSTREAM_ERROR', 'the reply of Entra ID holds no token', {
        category: 'upstream',
        details: { status: response.status, host },
      });
    const lifeMs = (tokens(reply['expires_in']) ?? 0) * 1_000;
    issued += 1;
    return {
      versions: { current: { secret: new Secret(value), version: `token-${issued}` } },
      renewAtMs: clock.nowMs() + Math.max(0, lifeMs - Math.min(renewBeforeMs, lifeMs / 2)),
    };
  };

  let held: Token | null = null;
  let running: Promise<Token> | null = null;
  return {
    contract: 1,
    async read() {
      if (held !== null && clock.nowMs() < held.renewAtMs) return held.versions;
      running ??= request().finally(() => {
        running = null;
      });
      held = await running;
      return held.versions;
    },
  };
}
