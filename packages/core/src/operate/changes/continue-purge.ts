import type { ArtifactStore } from '../../artifacts/artifact-store.js';
import { purgeArtifacts } from '../../artifacts/purge-artifacts.js';
import type { Random } from '../../foundation/time/random.js';
import { systemRandom } from '../../foundation/time/system-random.js';
import type { ChangeMark, PurgeStep } from '../../stores/change-store.js';
import type { Stores } from '../../stores/stores.js';
import { errorFacts } from '../../telemetry/error-facts.js';
import { type Logger, silentLogger } from '../../telemetry/logger.js';

/** What a purge works on. */
export interface PurgeParts {
  stores: Pick<Stores<never>, 'jobs' | 'outbox' | 'changes' | 'artifactManifest'>;
  /** Where the bytes lie. Left out: a worker that has the store deletes them at its next sweep. */
  artifactStore?: ArtifactStore | undefined;
  random?: Random | undefined;
  logger?: Logger | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * One pass of a purge that was begun (EGR-5, ruling R24): takes back expired leases, removes what
 * nobody works on, and, once nobody works on the change, its artifacts. Repeated until it answers
 * `done`; killed anywhere, the next pass goes on. Throws what the stores throw.
 */
export async function continuePurge(parts: PurgeParts, changelistId: string): Promise<PurgeStep> {
  const { stores, artifactStore, random = systemRandom, logger = silentLogger, signal } = parts;
  await stores.jobs.requeueExpired();
  await stores.outbox.requeueExpired();
  const step = await stores.changes.purgeRows(changelistId);
  // The artifacts last: work under way that misses one would fail for another reason than the purge.
  if (step.outcome !== 'waiting' || step.running + step.sending > 0 || artifactStore === undefined) return step;
  const manifest = stores.artifactManifest;
  await purgeArtifacts({ store: artifactStore, manifest, random, logger, signal }, changelistId);
  return stores.changes.purgeRows(changelistId);
}

/** Changes a page. */
const pageSize = 100;

/** Every purge under way, page by page: a page of those that cannot end must not keep the others waiting. */
async function* walkPurges(changes: Pick<PurgeParts['stores']['changes'], 'list'>): AsyncGenerator<ChangeMark> {
  for (let after: string | undefined; ; ) {
    const page = await changes.list({ kind: 'purging', after, limit: pageSize });
    yield* page;
    if (page.length < pageSize) return;
    after = page.at(-1)?.changelistId;
  }
}

/**
 * The duty of a worker that goes on with every purge that was begun. A change that cannot be purged
 * keeps none of the others: its failure is logged, and the next sweep tries again.
 */
export function createPurgeDuty(parts: Omit<PurgeParts, 'signal'> & { logger: Logger }) {
  return async (signal: AbortSignal): Promise<void> => {
    const { stores, logger } = parts;
    for await (const { changelistId } of walkPurges(stores.changes)) {
      if (signal.aborted) return;
      try {
        const { outcome, ...left } = await continuePurge({ ...parts, signal }, changelistId);
        logger.info(
          { event: 'purge.progress', changelistId, outcome, ...left },
          outcome === 'done' ? 'a change was purged' : 'a purge goes on',
        );
      } catch (error) {
        logger.error(
          { event: 'purge.failed', changelistId, ...errorFacts(error) },
          'a purge failed; the next sweep tries again',
        );
      }
    }
  };
}
