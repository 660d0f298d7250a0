import type { Actor } from '../foundation/actor.js';
import type { ArtifactNamespace, ArtifactPurpose } from '../stores/artifact-manifest.js';

/**
 * Least privilege on artifacts (ART-3): default deny. Raw contents are for operational roles only.
 * A policy that throws denies.
 */
export interface AccessPolicy {
  decide(request: {
    actor: Actor;
    action: 'read' | 'write' | 'delete';
    namespace: ArtifactNamespace;
    purpose: ArtifactPurpose;
    artifactId: string;
  }): 'allow' | 'deny' | Promise<'allow' | 'deny'>;
}
