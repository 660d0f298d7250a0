import { checkOptions, type OptionShape } from '../foundation/check-options.js';
import { partWith } from '../foundation/contract.js';
import { classifyFailure } from '../foundation/failures/failure.js';
import { checkAbortSignal, checkedElsewhere, optional, withMethods } from '../foundation/option-checks.js';
import { checkMs } from '../foundation/store-input.js';
import type { Clock } from '../foundation/time/clock.js';
import type { Random } from '../foundation/time/random.js';
import { systemClock } from '../foundation/time/system-clock.js';
import type { ArtifactManifest, ArtifactRow } from '../stores/artifact-manifest.js';
import { type Logger, silentLogger } from '../telemetry/logger.js';
import type { ArtifactStore } from './artifact-store.js';
import { defaultCallMs, deleteArtifacts, type Trouble } from './delete-artifacts.js';
import { isLate, limitCalls } from './limit-calls.js';
import { removeStrays } from './remove-strays.js';

/** What one sweep did, in artifacts. */
export interface ArtifactSweep {
  deleted: number;
  /** Could not be deleted this time, strays included; one more where store or manifest could not be read for strays. */
  failed: number;
  /** Deleted earlier or now, and seen to be gone. */
  verified: number;
  /** Deleted by the manifest but still lying in the store: must be 0. */
  stillPresent: number;
  /** Deleted by the manifest, and the store could not say or could not delete: looked at again by the next sweep. */
  unverified: number;
  /** Removed of what killed writers left in the store. */
  leftovers: number;
  /** Deleted because no row of the manifest names them, a week after they were written. */
  strays: number;
}

/** Where expired artifacts lie, and how a sweep goes about them. */
export interface ArtifactSweepOptions {
  store: ArtifactStore;
  manifest: ArtifactManifest<never>;
  random: Random;
  /** Pending rows older than this lost their worker. Default 1 hour. */
  orphanMs?: number | undefined;
  /** Rows a round. Default 100. */
  limit?: number | undefined;
  /** Says how old objects are that no row names. Default: the system's. */
  clock?: Pick<Clock, 'nowMs'> | undefined;
  /** Receives one line a sweep for artifacts that could not be deleted or looked at. Default: nothing. */
  logger?: Logger | undefined;
  /**
   * Milliseconds that one call of the store or the manifest may take. One that takes longer is given
   * up, and the rest of its duty waits for the next sweep. Default 5 minutes.
   */
  callMs?: number | undefined;
  /** Aborting it ends the sweep after what it does at the moment. Default: never. */
  signal?: AbortSignal | undefined;
}

const optionShape: OptionShape<ArtifactSweepOptions> = {
  store: partWith('delete', 'exists'),
  manifest: withMethods('claimExpired', 'heartbeat', 'markDeleted', 'findUnknown'),
  random: withMethods('uuid', 'bytes'),
  orphanMs: checkedElsewhere,
  limit: checkedElsewhere,
  clock: optional(withMethods('nowMs')),
  logger: checkedElsewhere,
  callMs: optional((option, value) => checkMs(option, value as number, 1)),
  signal: optional(checkAbortSignal),
};

/**
 * One round of ART-7: expired and orphaned artifacts lose their bytes and their key, every deletion
 * not yet proven is checked, and what writes left in the store that no row names is removed. Safe
 * from any number of processes: each row is deleted under a lease that is renewed until its bytes are
 * gone, and deleting twice is deleting once. A store that does not answer within `callMs` loses its turn.
 */
export async function sweepArtifacts(options: ArtifactSweepOptions): Promise<ArtifactSweep> {
  checkOptions<ArtifactSweepOptions>('sweepArtifacts', options, optionShape);
  const { random, limit = 100, clock = systemClock, logger = silentLogger, signal, callMs = defaultCallMs } = options;
  const troubled: Trouble[] = [];
  const { deleted, undeleted } = await deleteArtifacts({ ...options, limit, logger, callMs }, troubled);
  const store = limitCalls('artifact store', options.store, callMs);
  const manifest = limitCalls('artifact manifest', options.manifest, callMs);
  const checked = await verifyDeleted({ store, manifest, limit, signal }, troubled);
  const unproven = troubled.length;
  const failed = (id: string, error: unknown): void => void troubled.push({ id, error });
  const leftovers =
    (await store.removeLeftovers?.(leftoverMs).catch((error: unknown) => failed('leftovers', error))) ?? 0;
  const strays = await removeStrays({ store, manifest, clock, random, limit, failed, signal });
  const [first] = troubled;
  if (first !== undefined)
    logger.warn(
      {
        event: 'artifact.delete_failed',
        artifacts: troubled.length,
        artifactId: first.id,
        errorCode: classifyFailure(first.error).code,
      },
      'artifacts could not be deleted or looked at',
    );
  return { deleted, failed: undeleted + troubled.length - unproven, ...checked, leftovers, strays };
}

/** No write takes a day. */
const leftoverMs = 86_400_000;

/** More pages than these wait for the next sweep. */
const mostPages = 10;

/** Looks at every deletion that is not proven, page by page: what cannot be looked at keeps none of those behind it. */
export async function verifyDeleted(
  {
    store,
    manifest,
    limit,
    signal,
    changelistId,
  }: Pick<ArtifactSweepOptions, 'store' | 'manifest' | 'signal'> & { limit: number; changelistId?: string | undefined },
  troubled: Trouble[],
): Promise<Pick<ArtifactSweep, 'verified' | 'stillPresent' | 'unverified'>> {
  const counts = { verified: 0, stillPresent: 0, unverified: 0 };
  let after: ArtifactRow | undefined;
  let isSilent = false;
  for (let page = 0; page < mostPages && signal?.aborted !== true && !isSilent; page++) {
    const rows = await manifest.listUnverified(limit, after);
    const gone: string[] = [];
    for (const row of rows) {
      if (changelistId !== undefined && row.changelistId !== changelistId) continue;
      const location = { namespace: row.namespace, key: row.storageKey };
      try {
        if (!(await store.exists(location))) gone.push(row.id);
        else {
          counts.stillPresent++;
          await store.delete(location);
        }
      } catch (error) {
        counts.unverified++;
        troubled.push({ id: row.id, error });
        // Each further call would take as long: what was seen is noted, the rest is for the next sweep.
        isSilent = isLate(error);
        if (isSilent) break;
      }
    }
    if (gone.length > 0) await manifest.verified(gone);
    counts.verified += gone.length;
    after = rows.at(-1);
    if (rows.length < limit) break;
  }
  return counts;
}
