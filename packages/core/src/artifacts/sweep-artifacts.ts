import { checkOptions } from '../check-options.js';
import { checkedElsewhere, checkName, withMethods } from '../option-checks.js';
import type { Random } from '../time/random.js';
import type { ArtifactManifest } from './artifact-manifest.js';
import type { ArtifactStore } from './artifact-store.js';

export interface ArtifactSweep {
  deleted: number;
  /** Could not be deleted this time. */
  failed: number;
  /** Deleted earlier or now, and seen to be gone. */
  verified: number;
  /** Deleted by the manifest but still lying in the store: must be 0. */
  stillPresent: number;
}

/**
 * One round of ART-7: expired and orphaned artifacts lose their bytes and their key, then every deletion not yet proven is checked.
 * Safe from any number of processes: rows are leased, and deleting twice is deleting once.
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
}): Promise<ArtifactSweep> {
  checkOptions<typeof options>('sweepArtifacts', options, {
    store: withMethods('delete', 'exists'),
    manifest: withMethods('claimExpired', 'markDeleted'),
    random: withMethods('uuid'),
    owner: checkName,
    orphanMs: checkedElsewhere,
    limit: checkedElsewhere,
  });
  const { store, manifest, owner, orphanMs = 3_600_000, limit = 100 } = options;
  const token = options.random.uuid();
  const rows = await manifest.claimExpired({ owner, token, leaseMs: 60_000, limit, orphanMs });
  const removed: string[] = [];
  for (const row of rows) {
    // One that cannot be deleted must not keep the others: its lease runs out and a later round tries again.
    const done = await store.delete({ namespace: row.namespace, key: row.storageKey }).then(
      () => true,
      () => false,
    );
    if (done) removed.push(row.id);
  }
  const failed = rows.length - removed.length;
  const deleted = removed.length === 0 ? 0 : await manifest.markDeleted(removed, { owner, token });
  const gone: string[] = [];
  let stillPresent = 0;
  for (const row of await manifest.listUnverified(limit)) {
    if (await store.exists({ namespace: row.namespace, key: row.storageKey })) {
      stillPresent++;
      await store.delete({ namespace: row.namespace, key: row.storageKey });
    } else gone.push(row.id);
  }
  if (gone.length > 0) await manifest.verified(gone);
  return { deleted, failed, verified: gone.length, stillPresent };
}
