import type { ArtifactNamespace, ArtifactPurpose } from '../stores/artifact-manifest.js';

/** Who asks. The workers of a Criticizer ask as `{type: 'system', id: 'criticizer'}`. */
export interface Actor {
  type: 'system' | 'admin_user' | 'service_account';
  id: string;
  roles?: readonly string[] | undefined;
}

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
