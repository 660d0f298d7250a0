// Public entry `@criticizer/core/artifacts`: encrypted, expiring storage of what a pipeline makes.

export type { AccessPolicy } from '../artifacts/access-policy.js';
export type { ArtifactLocation, ArtifactStore } from '../artifacts/artifact-store.js';
export {
  type Artifacts,
  type ArtifactsOptions,
  type ArtifactWrite,
  createArtifacts,
} from '../artifacts/artifacts.js';
export type { ArtifactAccess, OnAccess } from '../artifacts/authorize.js';
export { createFileArtifactStore } from '../artifacts/file-artifact-store.js';
export type { KeyContext, KeyProvider } from '../artifacts/key-provider.js';
export { createLocalKeyRing } from '../artifacts/local-key-ring.js';
export { createMemoryArtifactStore } from '../artifacts/memory-artifact-store.js';
export { createRoleAccessPolicy, type RoleGrant } from '../artifacts/role-access-policy.js';
export { type ArtifactSweep, sweepArtifacts } from '../artifacts/sweep-artifacts.js';
export { type Actor, pipelineActor } from '../foundation/actor.js';
export { type ArtifactVaultOptions, createArtifactVault } from '../outbox/frozen/mail-vault.js';
export type {
  ArtifactManifest,
  ArtifactNamespace,
  ArtifactPurpose,
  ArtifactRow,
  ArtifactStatus,
  ArtifactSweepClaim,
  ArtifactSweepLease,
  NewArtifact,
  StoredObject,
} from '../stores/artifact-manifest.js';
