import type { Random } from '../foundation/time/random.js';
import { systemClock } from '../foundation/time/system-clock.js';
import type { ArtifactManifest, ArtifactRow, ArtifactSweepLease } from '../stores/artifact-manifest.js';
import type { Logger } from '../telemetry/logger.js';
import { noTelemetry } from '../telemetry/telemetry.js';
import { createLeaseLoop } from '../worker/lease/lease-loop.js';
import { runDue } from '../worker/lease/run-due.js';
import type { ArtifactStore } from './artifact-store.js';

/** An artifact that could not be deleted or looked at. */
export interface Trouble {
  id: string;
  error: unknown;
}

/** What deletes the bytes and the keys of artifacts. */
export interface DeleteOptions {
  store: ArtifactStore;
  manifest: ArtifactManifest<never>;
  random: Random;
  logger: Logger;
  /** Artifacts at most. */
  limit: number;
  /** Milliseconds that one deletion may take. */
  callMs: number;
  /** Pending rows older than this lost their worker. Default 1 hour. */
  orphanMs?: number | undefined;
  /** Every artifact of this change, whatever its age. Default: what is expired or orphaned, of any. */
  changelistId?: string | undefined;
  /** Aborted, it claims nothing more. */
  signal?: AbortSignal | undefined;
}

/** Deletions at a time. */
const concurrency = 8;
/** The lease of a row whose bytes are being deleted; renewed every third of it. */
const leaseMs = 60_000;
/** Of one call; the lease of a deletion is renewed until then. */
export const defaultCallMs = 5 * 60_000;

interface ClaimedArtifact {
  row: ArtifactRow;
  lease: ArtifactSweepLease;
}

// long: one lease loop with its source, what it does with each artifact, and its sums
/**
 * What came under a legal hold meanwhile keeps its bytes, and is neither deleted nor undeleted.
 * One that cannot be deleted keeps none of the others: its lease runs out, and a later round tries
 * again.
 */
export async function deleteArtifacts(
  options: DeleteOptions,
  troubled: Trouble[],
): Promise<{ deleted: number; undeleted: number }> {
  const { store, manifest, random, logger, limit, signal, orphanMs = 3_600_000, changelistId } = options;
  let deleted = 0;
  let released = 0;
  const loop = createLeaseLoop<ClaimedArtifact>({
    name: 'sweep',
    source: {
      async claim(request) {
        const rows = await manifest.claimExpired({ ...request, orphanMs, changelistId });
        const { owner, token } = request;
        return rows.map((row) => ({ row, lease: { artifactId: row.id, owner, token } }));
      },
      heartbeat: (work, ms) =>
        manifest.heartbeat(
          work.map(({ lease }) => lease),
          ms,
        ),
    },
    async handle({ row, lease }, { signal: ended }) {
      try {
        // A legal hold may have come since the claim, for which several wait at a time (ruling R24).
        const [renewal] = await manifest.heartbeat([lease], leaseMs);
        ended.throwIfAborted();
        if (renewal === 'lease-lost') {
          released += 1;
          return;
        }
        await store.delete({ namespace: row.namespace, key: row.storageKey });
        ended.throwIfAborted();
        const marked = await manifest.markDeleted([row.id], lease);
        deleted += marked;
      } catch (error) {
        troubled.push({ id: row.id, error });
      }
    },
    concurrency,
    leaseMs,
    deadlineMs: options.callMs,
    poll: { minMs: leaseMs, maxMs: leaseMs },
    // Beats and deadlines are about the work in this process, whatever clock says how old objects are.
    clock: systemClock,
    random,
    logger,
    telemetry: noTelemetry,
  });
  const claimed = await runDue([loop], { limit, signal });
  return { deleted, undeleted: claimed - deleted - released };
}
