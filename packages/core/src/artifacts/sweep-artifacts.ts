import { checkOptions } from '../foundation/check-options.js';
import { partWith } from '../foundation/contract.js';
import { classifyFailure } from '../foundation/failure.js';
import { checkedElsewhere, checkName, optional, withMethods } from '../foundation/option-checks.js';
import type { Clock } from '../foundation/time/clock.js';
import type { Random } from '../foundation/time/random.js';
import { systemClock } from '../foundation/time/system-clock.js';
import type { ArtifactManifest, ArtifactRow } from '../stores/artifact-manifest.js';
import { type Logger, silentLogger } from '../telemetry/logger.js';
import type { ArtifactStore } from './artifact-store.js';
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

/**
 * One round of ART-7: expired and orphaned artifacts lose their bytes and their key, every deletion
 * not yet proven is checked, and what writes left in the store that no row names is removed. Safe
 * from any number of processes: rows are leased, and deleting twice is deleting once.
 */
export async function sweepArtifacts(options: {
  store: ArtifactStore;
  manifest: ArtifactManifest<never>;
  random: Random;
  owner: string;
  /** Pending rows older than this lost their worker. Default 1 hour. */
  orphanMs?: number | undefined;
  /** Rows a round. Default 100. */
  limit?: number | undefined;
  /** Says how old objects are that no row names. Default: the system's. */
  clock?: Clock | undefined;
  /** Told of artifacts that could not be deleted or looked at, once a sweep. Default: nothing. */
  logger?: Logger | undefined;
}): Promise<ArtifactSweep> {
  checkOptions<typeof options>('sweepArtifacts', options, {
    store: partWith('delete', 'exists'),
    manifest: withMethods('claimExpired', 'markDeleted', 'findUnknown'),
    random: withMethods('uuid', 'bytes'),
    owner: checkName,
    orphanMs: checkedElsewhere,
    limit: checkedElsewhere,
    clock: optional(withMethods('nowMs')),
    logger: checkedElsewhere,
  });
  const {
    store,
    manifest,
    owner,
    orphanMs = 3_600_000,
    limit = 100,
    clock = systemClock,
    logger = silentLogger,
  } = options;
  const { random } = options;
  const token = random.uuid();
  const rows = await manifest.claimExpired({ owner, token, leaseMs: 60_000, limit, orphanMs });
  const troubled: Trouble[] = [];
  const removed: string[] = [];
  for (const row of rows) {
    // One that cannot be deleted must not keep the others: its lease runs out and a later round tries again.
    const done = await store.delete({ namespace: row.namespace, key: row.storageKey }).then(
      () => true,
      (error: unknown) => {
        troubled.push({ id: row.id, error });
        return false;
      },
    );
    if (done) removed.push(row.id);
  }
  const deleted = removed.length === 0 ? 0 : await manifest.markDeleted(removed, { owner, token });
  const checked = await verifyDeleted(store, manifest, limit, troubled);
  const unproven = troubled.length;
  const failed = (id: string, error: unknown): void => void troubled.push({ id, error });
  const leftovers =
    (await store.removeLeftovers?.(leftoverMs).catch((error: unknown) => failed('leftovers', error))) ?? 0;
  const strays = await removeStrays({ store, manifest, clock, random, limit, failed });
  const [first] = troubled;
  if (first !== undefined)
    logger.warn(
      { artifacts: troubled.length, artifactId: first.id, errorCode: classifyFailure(first.error).code },
      'artifacts could not be deleted or looked at',
    );
  return { deleted, failed: rows.length - removed.length + troubled.length - unproven, ...checked, leftovers, strays };
}

interface Trouble {
  id: string;
  error: unknown;
}

/** No write takes a day. */
const leftoverMs = 86_400_000;

/** More pages than these wait for the next sweep. */
const mostPages = 10;

/** Looks at every deletion that is not proven, page by page: what cannot be looked at keeps none of those behind it. */
async function verifyDeleted(
  store: ArtifactStore,
  manifest: ArtifactManifest<never>,
  limit: number,
  troubled: Trouble[],
): Promise<Pick<ArtifactSweep, 'verified' | 'stillPresent' | 'unverified'>> {
  const counts = { verified: 0, stillPresent: 0, unverified: 0 };
  let after: ArtifactRow | undefined;
  for (let page = 0; page < mostPages; page++) {
    const rows = await manifest.listUnverified(limit, after);
    const gone: string[] = [];
    for (const row of rows) {
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
      }
    }
    if (gone.length > 0) await manifest.verified(gone);
    counts.verified += gone.length;
    after = rows.at(-1);
    if (rows.length < limit) break;
  }
  return counts;
}
