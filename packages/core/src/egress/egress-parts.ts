import type { Clock } from '../foundation/time/clock.js';
import type { LlmProvider } from '../llm/llm-provider.js';
import type { DocumentStore } from '../stores/document-store.js';
import type { SecurityEvents } from '../telemetry/security-events.js';
import { noTelemetry, type Telemetry } from '../telemetry/telemetry.js';
import { type ContentPolicy, type ContentPolicyOptions, createContentPolicy } from './content-policy.js';
import { createInternalHosts } from './internal-hosts.js';
import { createKillSwitch, type KillSwitch } from './kill-switch.js';
import { createProviderPolicy, type ProviderPolicy, type ProviderRule } from './provider-policy.js';
import { requirePolicy } from './require-policy.js';
import { createStoppableTelemetry } from './stoppable-telemetry.js';

/** The settings under `egress`, and what they are about. */
export interface EgressPartsOptions<Tx> {
  settings: ContentPolicyOptions & { internalHosts: readonly string[]; policy: readonly ProviderRule[] | null };
  providers: readonly LlmProvider[];
  /** `Stores.documents`. */
  documents: DocumentStore<Tx>;
  securityEvents: SecurityEvents;
  clock: Clock;
  telemetry: Telemetry | undefined;
}

/** What decides where bytes may go. */
export interface EgressParts {
  isInternal(host: string): boolean;
  policy: ProviderPolicy;
  contentPolicy: ContentPolicy;
  killSwitch: KillSwitch;
  /** The host's, which the kill switch stops. */
  telemetry: Telemetry;
}

/**
 * Makes the parts that decide where bytes may go. Throws `EGRESS_POLICY_MISSING` for a public model
 * without a policy.
 */
export function createEgressParts<Tx>(options: EgressPartsOptions<Tx>): EgressParts {
  const { settings, providers, documents, securityEvents, clock } = options;
  const { mailDomains, content } = settings;
  const isInternal = createInternalHosts(settings.internalHosts);
  if (settings.policy === null) requirePolicy(providers, isInternal);
  const telemetry =
    options.telemetry === undefined
      ? noTelemetry
      : createStoppableTelemetry({
          telemetry: options.telemetry,
          // One of its own: it reports no stop, which is what reviews and mails do.
          killSwitch: createKillSwitch({ documents, clock }),
          clock,
        });
  const rules = settings.policy === null ? { otherwise: providers.map(({ id }) => id) } : { rules: settings.policy };
  return {
    isInternal,
    policy: createProviderPolicy(rules),
    contentPolicy: createContentPolicy({ mailDomains, content }),
    killSwitch: createKillSwitch({ documents, securityEvents, clock }),
    telemetry,
  };
}
