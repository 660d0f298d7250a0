import { CriticizerError } from '../foundation/errors.js';
import type { LlmProvider } from '../llm/llm-provider.js';

/**
 * Without a policy every provider may see every path, which is right only inside the house: throws
 * `EGRESS_POLICY_MISSING`, with the setting to add, where a provider's host is public (EGR-2). A
 * provider that declares no host is taken at its host's word.
 */
export function requirePolicy(
  providers: readonly Pick<LlmProvider, 'id' | 'host'>[],
  isInternal: (host: string) => boolean,
): void {
  const found = providers.filter(({ host }) => host !== undefined && !isInternal(host));
  if (found.length === 0) return;
  const hosts = found.map(({ host }) => host).join(', ');
  const ids = JSON.stringify(providers.map(({ id }) => id));
  throw new CriticizerError(
    'EGRESS_POLICY_MISSING',
    `Code would go to a public host (${hosts}) and no policy permits it. ` +
      `Add to the settings: egress: { policy: [{ paths: ['//...'], providers: ${ids} }] }, ` +
      'with narrower paths where you can; or list a host of your own in egress.internalHosts.',
    { category: 'policy', details: { providers: found.map(({ id }) => id) } },
  );
}
