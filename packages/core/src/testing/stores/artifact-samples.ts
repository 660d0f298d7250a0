import { randomUUID } from 'node:crypto';
import { isCriticizerError } from '../../foundation/errors.js';
import type { ArtifactSweepClaim, NewArtifact } from '../../stores/artifact-manifest.js';
import type { Stores } from '../../stores/stores.js';
import { leaseMs, newArtifact } from './sample-rows.js';

export const dayMs = 86_400_000;

/** A sweeper's claim under a name and a token of its own. */
export function sweep(over: Partial<ArtifactSweepClaim> = {}): ArtifactSweepClaim {
  return { owner: `sweeper-${randomUUID()}`, token: randomUUID(), leaseMs, limit: 10, orphanMs: 7 * dayMs, ...over };
}

/** A pending row. */
export async function reserved<Tx>(stores: Stores<Tx>, over: Partial<NewArtifact> = {}): Promise<NewArtifact> {
  const artifact = newArtifact(over);
  await stores.artifactManifest.reserve([artifact]);
  return artifact;
}

/** What `publish` rejects with for a row that it may not bring to life. */
export const isNotPending = (error: unknown): boolean =>
  isCriticizerError(error) && error.category === 'conflict' && error.code === 'ARTIFACT_NOT_PENDING';
