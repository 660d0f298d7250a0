import { systemClock } from '../../foundation/time/system-clock.js';
import { createHttpProvider, type HttpLlmProvider, type HttpProviderParts } from './http-provider.js';
import { createKeyedExchange, type KeyHeader } from './keyed-exchange.js';
import type { KeyedProviderOptions } from './provider-options.js';

/** A provider whose endpoint takes its key in `header`, or asks for none. */
export function createKeyedProvider(
  options: Omit<KeyedProviderOptions, 'baseUrl'>,
  parts: Pick<HttpProviderParts, 'maker' | 'modes' | 'protocol'> & { header: KeyHeader },
): HttpLlmProvider {
  const { maker, modes, protocol, header } = parts;
  const { apiKey, http, clock = systemClock } = options;
  return createHttpProvider(options, {
    maker,
    modes,
    protocol,
    exchange: createKeyedExchange({ http, apiKey, header, clock, isDenied: protocol.isDenied }),
    hasCredential: apiKey !== undefined,
  });
}
