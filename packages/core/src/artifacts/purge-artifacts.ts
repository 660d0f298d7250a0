import { classifyFailure } from '../foundation/failures/failure.js';
import type { Random } from '../foundation/time/random.js';
import type { ArtifactManifest } from '../stores/artifact-manifest.js';
import { type Logger, silentLogger } from '../telemetry/logger.js';
import type { ArtifactStore } from './artifact-store.js';
import { defaultCallMs, deleteArtifacts, type Trouble } from './delete-artifacts.js';
import { limitCalls } from './limit-calls.js';
import { verifyDeleted } from './sweep-artifacts.js';

/** Where the artifacts of a change lie. */
export interface PurgeArtifactsOptions {
  store: ArtifactStore;
  manifest: ArtifactManifest<never>;
  random: Random;
  logger?: Logger | undefined;
  /** Aborted, it ends after what is under way. */
  signal?: AbortSignal | undefined;
}

/** Artifacts a round. */
const limit = 100;

/**
 * Deletes bytes and keys of every artifact of a change, in both namespaces, and reads back that they
 * are gone (EGR-5, ART-7). Gives how many could not be deleted or read back: the next call tries
 * those again. One that fails keeps none of the others. Throws what the manifest throws.
 */
export async function purgeArtifacts(options: PurgeArtifactsOptions, changelistId: string): Promise<number> {
  const { random, logger = silentLogger, signal } = options;
  const troubled: Trouble[] = [];
  for (;;) {
    const parts = { ...options, random, logger, signal, limit, callMs: defaultCallMs, changelistId };
    const { deleted, undeleted } = await deleteArtifacts(parts, troubled);
    if (deleted + undeleted < limit || undeleted > 0 || signal?.aborted === true) break;
  }
  const store = limitCalls('artifact store', options.store, defaultCallMs);
  const manifest = limitCalls('artifact manifest', options.manifest, defaultCallMs);
  const { stillPresent } = await verifyDeleted({ store, manifest, limit, signal, changelistId }, troubled);
  const [first] = troubled;
  if (first !== undefined)
    logger.warn(
      {
        event: 'artifact.purge_failed',
        artifacts: troubled.length,
        artifactId: first.id,
        errorCode: classifyFailure(first.error).code,
      },
      'artifacts of a purged change could not be deleted or looked at',
    );
  return troubled.length + stillPresent;
}
