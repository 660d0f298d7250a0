import type { JsonObject } from '../foundation/json.js';

/** What a security reviewer wants to be told at once (P4-5, RED-10). `type` is stable: `<area>.<what>`. */
export interface SecurityEvent {
  type:
    | 'depot_path.denied'
    | 'depot_path.malformed'
    | 'p4.trust_mismatch'
    | 'p4.containment'
    | 'p4.uncontained'
    | 'egress.blocked'
    | 'egress.killed'
    | 'artifact.access_denied'
    | 'artifact.tampered'
    | 'audit.seal_mismatch'
    | 'secret.rejected'
    | 'secret.ageing'
    | 'secret.expired'
    | 'http.blocked'
    | 'llm.budget_spent';
  /** One plain sentence without untrusted text. */
  reason: string;
  /** Sanitized facts: rule ids, counts, the denied path where the event is about it. Never content, never a secret. */
  details: JsonObject;
  jobId?: string | undefined;
  changelistId?: string | undefined;
}

/**
 * Receives security events. A rejected promise is logged and never stops the fail-closed path that
 * raised the event.
 */
export interface SecurityEvents {
  emit(event: SecurityEvent): void | Promise<void>;
}
