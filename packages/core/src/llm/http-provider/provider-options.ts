import { checkOptions, type OptionShape } from '../../foundation/check-options.js';
import { partWith } from '../../foundation/contract.js';
import type { JsonObject } from '../../foundation/json.js';
import {
  checkArray,
  checkedElsewhere,
  checkName,
  checkObject,
  nested,
  optional,
  withMethods,
} from '../../foundation/option-checks.js';
import type { Clock } from '../../foundation/time/clock.js';
import type { HttpClient } from '../../http/http-client.js';
import type { SecretSource } from '../../secrets/secret-source.js';
import type { StructuredMode } from '../llm-provider.js';
import { modeLadder } from '../mode-ladder.js';

/** What every provider over HTTP takes, whatever protocol it speaks. */
export interface HttpProviderOptions {
  /** Names the provider in policies, records and telemetry: `[a-z0-9][a-z0-9_.-]*`, at most 64. */
  id: string;
  /** The model as the vendor names it. */
  model: string;
  /** The client that opens all connections. */
  http: HttpClient;
  /** Tokens of the model's window, and of the longest reply that it writes, which must be less. */
  limits: { contextTokens: number; maxOutputTokens: number };
  /** What this endpoint can do. Default all that the protocol knows. */
  modes?: readonly StructuredMode[] | undefined;
  /**
   * The vendor's switches, added to every body. A field that the protocol sets itself, and one that
   * names a credential, is a `TypeError`. Dry runs show it, the guard scans it, and a reply to a
   * request with other switches is not used again.
   */
  extraBody?: JsonObject | undefined;
  /** Default the system's. */
  clock?: Pick<Clock, 'nowMs' | 'monotonicMs'> | undefined;
}

/** A credential by name, and the source that it is read from before every request (SEC-5). */
export interface CredentialName {
  source: SecretSource;
  name: string;
}

/** What a provider takes whose endpoint is a base URL, with a key in a header or without any. */
export interface KeyedProviderOptions extends HttpProviderOptions {
  /** Where the endpoint is, as the vendor's own client takes it. Required, so that where code goes is written down. */
  baseUrl: string;
  /** Read before every request (SEC-5). Left out for an endpoint that asks for none. */
  apiKey?: CredentialName | undefined;
}

/** Check of an optional `CredentialName`. */
export const checkCredentialName = optional(nested<CredentialName>({ source: partWith('read'), name: checkName }));

/** The checks of `HttpProviderOptions`, to spread into a provider's own shape. */
export const httpProviderShape: OptionShape<HttpProviderOptions> = {
  id: checkedElsewhere,
  model: checkedElsewhere,
  http: withMethods('exchange'),
  limits: nested<HttpProviderOptions['limits']>({ contextTokens: checkedElsewhere, maxOutputTokens: checkedElsewhere }),
  modes: optional(checkArray),
  extraBody: optional(checkObject),
  clock: optional(withMethods('nowMs', 'monotonicMs')),
};

/** The checks of `KeyedProviderOptions`, likewise. */
export const keyedProviderShape: OptionShape<KeyedProviderOptions> = {
  ...httpProviderShape,
  baseUrl: checkedElsewhere,
  apiKey: checkCredentialName,
};

/**
 * Throws `TypeError` that starts with `maker` for options that the shape or the common rules
 * refuse. Returns the modes, strongest first: those of `known` that the options name, or all.
 */
export function checkProviderOptions<Options extends HttpProviderOptions>(
  maker: string,
  options: Options,
  shape: OptionShape<Options>,
  known: readonly StructuredMode[] = modeLadder,
): readonly StructuredMode[] {
  checkOptions(maker, options, shape);
  const { id, model, limits, modes = known } = options;
  const fail = (option: string, expected: string): never => {
    throw new TypeError(`${maker}: ${option} expects ${expected}`);
  };
  if (typeof id !== 'string' || !/^[a-z0-9][a-z0-9_.-]{0,63}$/.test(id))
    fail('id', 'lower-case letters, digits, dots, dashes and underscores, at most 64');
  if (typeof model !== 'string' || model.trim() === '') fail('model', 'the name of a model');
  for (const name of ['contextTokens', 'maxOutputTokens'] as const)
    if (!Number.isSafeInteger(limits[name]) || limits[name] < 1) fail(`limits.${name}`, 'a positive whole number');
  if (limits.maxOutputTokens >= limits.contextTokens)
    fail('limits.maxOutputTokens', 'less than limits.contextTokens: the window holds the prompt too');
  if (modes.length === 0 || modes.some((mode) => !known.includes(mode))) fail('modes', `some of ${known.join(', ')}`);
  return known.filter((mode) => modes.includes(mode));
}

/** A base URL without its trailing slashes. Throws `TypeError` for one with credentials, query or fragment. */
export function readBaseUrl(maker: string, baseUrl: string, option = 'baseUrl'): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== ''
  )
    throw new TypeError(`${maker}: ${option} expects an http(s) URL without credentials, query or fragment`);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
