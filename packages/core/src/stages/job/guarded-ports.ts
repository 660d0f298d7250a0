import type { ChangeFetcher } from '../../changes/change-fetcher.js';
import type { LlmProvider } from '../../llm/llm-provider.js';
import { wrapProvider } from '../../llm/wrap-provider.js';
import { type Breaker, type BreakerOptions, createBreaker } from '../../worker/retry/breaker.js';

/**
 * The fetcher behind its server's breaker: while the server is out, `fetch` rejects with what parks
 * and starts no client.
 */
function guardFetcher(fetcher: ChangeFetcher, breaker: Breaker): ChangeFetcher {
  return {
    contract: 1,
    serverId: fetcher.serverId,
    async fetch(number, options) {
      breaker.admit();
      return breaker.observe(() => fetcher.fetch(number, options), options.signal);
    },
  };
}

/**
 * The provider behind its breaker. It refuses at `prepare`, which comes before the egress record: a
 * request that is not sent leaves no record of one (EGR-1).
 */
function guardProvider(provider: LlmProvider, breaker: Breaker): LlmProvider {
  return wrapProvider(provider, {
    prepare(request, options) {
      breaker.admit();
      return provider.prepare(request, options);
    },
    send: (prepared, options) => breaker.observe(() => provider.send(prepared, options), options.signal),
  });
}

/** Every port that stages call, each behind a breaker of its own. */
export function guardPorts(
  ports: { fetchers: ReadonlyMap<string, ChangeFetcher>; providers: readonly LlmProvider[] },
  options: Omit<BreakerOptions, 'dependency'>,
): { fetchers: ReadonlyMap<string, ChangeFetcher>; providers: readonly LlmProvider[] } {
  const guardOneFetcher = (fetcher: ChangeFetcher): ChangeFetcher =>
    guardFetcher(fetcher, createBreaker({ ...options, dependency: { stage: 'fetch', serverId: fetcher.serverId } }));
  const guardOneProvider = (provider: LlmProvider): LlmProvider =>
    guardProvider(provider, createBreaker({ ...options, dependency: { stage: 'llm', provider: provider.id } }));
  return {
    fetchers: new Map([...ports.fetchers].map(([serverId, fetcher]) => [serverId, guardOneFetcher(fetcher)])),
    providers: ports.providers.map(guardOneProvider),
  };
}
