import { CriticizerError } from '../foundation/errors.js';
import type { JsonObject } from '../foundation/json.js';
import { raiseSecurityEvent } from '../telemetry/raise-security-event.js';
import type { SecurityEvents } from '../telemetry/security-events.js';

/** Why text was kept from the provider. Stable. */
export type EgressBlockReason =
  /** The request's text was minted by nobody. */
  | 'not_redacted'
  /** A rule threw, or its result is not what the port promises. */
  | 'redaction_failed'
  | 'redaction_timeout'
  /** Texts of different rules or policies, or not the redactor's. */
  | 'rules_differ'
  /** Something secret is still in the final bytes. */
  | 'secret_found'
  /** A secret in text that claims to be a trusted template. */
  | 'secret_in_template'
  /** A prepared request carries a credential header. */
  | 'credential_in_request'
  | 'provider_not_permitted'
  /** The request is for another host than the provider declares. */
  | 'host_not_declared'
  /** The request is for a public host, and no policy names providers. */
  | 'policy_missing';

/** Whom an egress decision is about and who is told. */
export interface EgressContext {
  securityEvents?: SecurityEvents | undefined;
  jobId?: string | undefined;
  changelistId?: string | undefined;
}

/**
 * Raises `egress.blocked` and makes the error to throw: `EGRESS_BLOCKED`, policy (RED-10). Holds
 * rule names and counts, never text.
 */
export function blockEgress(
  reason: EgressBlockReason,
  context: EgressContext,
  facts: JsonObject = {},
): CriticizerError {
  const details: JsonObject = { reason, ...facts };
  raiseSecurityEvent(context.securityEvents, {
    type: 'egress.blocked',
    reason: `a request to a model provider was blocked: ${reason}`,
    details,
    jobId: context.jobId,
    changelistId: context.changelistId,
  });
  return new CriticizerError('EGRESS_BLOCKED', `egress blocked: ${reason}`, { category: 'policy', details });
}
