import { CriticizerError } from '../foundation/errors.js';
import type { LlmProvider } from '../llm/llm-provider.js';

/** The error `EGRESS_POLICY_MISSING` for the public hosts of `found`, with the setting to add for `providers`. */
export function policyMissing(
  found: readonly Pick<LlmProvider, 'id' | 'host'>[],
  providers: readonly Pick<LlmProvider, 'id'>[],
  parks = false,
): CriticizerError {
  const hosts = found.map(({ host }) => host).join(', ');
  const ids = JSON.stringify(providers.map(({ id }) => id));
  return new CriticizerError(
    'EGRESS_POLICY_MISSING',
    `Code would go to a public host (${hosts}) and no policy permits it. ` +
      `Add to the settings: egress: { policy: [{ paths: ['//...'], providers: ${ids} }] }, ` +
      'with narrower paths where you can; or list a host of your own in egress.internalHosts.',
    { category: 'policy', parks, details: { providers: found.map(({ id }) => id) } },
  );
}

/**
 * Without a policy every provider may see every path, which is right only inside the house: throws
 * `EGRESS_POLICY_MISSING`, with the setting to add, where a provider's host is public (EGR-2). A
 * provider that declares no host is judged by each request that it prepares (`checkHost`).
 */
export function requirePolicy(
  providers: readonly Pick<LlmProvider, 'id' | 'host'>[],
  isInternal: (host: string) => boolean,
): void {
  const found = providers.filter(({ host }) => host !== undefined && !isInternal(host));
  if (found.length === 0) return;
  throw policyMissing(found, providers);
}
