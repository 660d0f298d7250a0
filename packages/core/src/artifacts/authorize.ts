import { type Actor, isPipeline } from '../foundation/actor.js';
import { CriticizerError } from '../foundation/errors.js';
import type { ArtifactNamespace, ArtifactPurpose, ArtifactRow } from '../stores/artifact-manifest.js';
import { errorFacts } from '../telemetry/error-facts.js';
import type { Logger } from '../telemetry/logger.js';
import { raiseSecurityEvent } from '../telemetry/raise-security-event.js';
import type { SecurityEvents } from '../telemetry/security-events.js';
import type { AccessPolicy } from './access-policy.js';

/** One read of an artifact, as the policy decided it. */
export interface ArtifactAccess {
  actor: Actor;
  outcome: 'allowed' | 'denied';
  artifactId: string;
  namespace: ArtifactNamespace;
  purpose: ArtifactPurpose;
  changelistId: string | null;
}

/**
 * Receives every read, the pipeline's own included, before the contents are given out; a host
 * records it or counts it. Nothing waits for it, and what it throws is logged once.
 */
export type OnAccess = (access: ArtifactAccess) => void | Promise<void>;

/** What is read or written, as far as a decision needs it. */
export type ArtifactSubject = Pick<ArtifactRow, 'id' | 'namespace' | 'purpose'> & { changelistId: string | null };

/**
 * Makes the check that rejects with `ARTIFACT_ACCESS_DENIED` and raises a security event where the policy
 * denies, and where somebody else than the pipeline would read a raw artifact and no trail records it.
 */
export function createAuthorizer(options: {
  access: AccessPolicy;
  /** Whether a trail records reads. */
  isRecorded: boolean;
  onAccess: OnAccess | undefined;
  securityEvents: SecurityEvents;
  logger: Logger;
}): (actor: Actor, action: 'read' | 'write', subject: ArtifactSubject) => Promise<void> {
  const { access, securityEvents, logger } = options;
  let hasLogged = false;

  const logOnce = (error: unknown): void => {
    if (hasLogged) return;
    hasLogged = true;
    logger.error(
      { event: 'artifact.on_access_failed', ...errorFacts(error) },
      'onAccess failed; reads go on, and its next failures are not logged',
    );
  };

  const announce = (event: ArtifactAccess): void => {
    try {
      Promise.resolve(options.onAccess?.(event)).catch(logOnce);
    } catch (error) {
      logOnce(error);
    }
  };

  return async (actor, action, { id, namespace, purpose, changelistId }) => {
    const isUnrecorded = action === 'read' && namespace === 'raw' && !options.isRecorded && !isPipeline(actor);
    const decision = isUnrecorded
      ? 'deny'
      : await decide(access, { actor, action, namespace, purpose, artifactId: id });
    const outcome = decision === 'allow' ? 'allowed' : 'denied';
    if (action === 'read') announce({ actor, outcome, artifactId: id, namespace, purpose, changelistId });
    if (outcome === 'allowed') return;
    const details = { actorType: actor.type, actorId: actor.id, action, namespace, artifactId: id };
    const reason = isUnrecorded ? 'No audit trail is wired to record it.' : 'The access policy denies it.';
    raiseSecurityEvent(securityEvents, { type: 'artifact.access_denied', reason, details });
    throw new CriticizerError('ARTIFACT_ACCESS_DENIED', `Access to a ${namespace} artifact is denied: ${reason}`, {
      category: 'policy',
      details,
    });
  };
}

/** A policy that fails denies. */
async function decide(access: AccessPolicy, request: Parameters<AccessPolicy['decide']>[0]): Promise<'allow' | 'deny'> {
  try {
    return await access.decide(request);
  } catch {
    return 'deny';
  }
}
