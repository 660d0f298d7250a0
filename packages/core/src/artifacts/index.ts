// Public entry `@criticizer/core/artifacts`: encrypted, expiring storage of what a pipeline makes.
export { type ArtifactVaultOptions, createArtifactVault } from '../outbox/mail-vault.js';
export type {
  ArtifactManifest,
  ArtifactNamespace,
  ArtifactPurpose,
  ArtifactRow,
  ArtifactStatus,
  ArtifactSweepClaim,
  NewArtifact,
  StoredObject,
} from '../stores/artifact-manifest.js';
export type { AccessPolicy, Actor } from './access-policy.js';
export type { ArtifactLocation, ArtifactStore } from './artifact-store.js';
export {
  type Artifacts,
  type ArtifactsOptions,
  type ArtifactWrite,
  createArtifacts,
  pipelineActor,
} from './artifacts.js';
export { createFileArtifactStore } from './file-artifact-store.js';
export type { KeyContext, KeyProvider } from './key-provider.js';
export { createLocalKeyRing } from './local-key-ring.js';
export { createMemoryArtifactStore } from './memory-artifact-store.js';
export { createRoleAccessPolicy, type RoleGrant } from './role-access-policy.js';
export { type ArtifactSweep, sweepArtifacts } from './sweep-artifacts.js';
