import type { LlmProvider } from '../llm/llm-provider.js';
import { blockEgress, type EgressContext } from './block-egress.js';
import { policyMissing } from './require-policy.js';

/** Which hosts a request may go to. */
export interface HostRule {
  /** Whether a host is inside the house. */
  isInternal(host: string): boolean;
  /** Whether the policy by path is the host's own, which names providers. */
  namesProviders: boolean;
}

/** A declared host as a URL of this protocol writes it: lower case, no default port. Null where it is none. */
function readHost(protocol: string, declared: string): string | null {
  const url = `${protocol}//${declared}`;
  return URL.canParse(url) ? new URL(url).host : null;
}

/**
 * Holds the URL of a prepared request to what was decided when the parts were put together (EGR-2).
 * Throws `EGRESS_BLOCKED` (`host_not_declared`) where it is not on the host that the provider
 * declares, and `EGRESS_POLICY_MISSING`, which parks, where it is on a public host and no policy
 * names providers. Raises a security event.
 */
export function checkHost(options: HostRule & EgressContext & { provider: LlmProvider }, url: string): void {
  const { provider, isInternal, namesProviders } = options;
  const { protocol, host } = new URL(url);
  const facts = { provider: provider.id, host };
  if (provider.host !== undefined && readHost(protocol, provider.host) !== host)
    throw blockEgress('host_not_declared', options, facts);
  if (namesProviders || isInternal(host)) return;
  blockEgress('policy_missing', options, facts);
  throw policyMissing([{ id: provider.id, host }], [provider], true);
}
