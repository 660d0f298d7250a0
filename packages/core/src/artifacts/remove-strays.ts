import type { Clock } from '../foundation/time/clock.js';
import type { Random } from '../foundation/time/random.js';
import type { ArtifactManifest, ArtifactNamespace, StoredObject } from '../stores/artifact-manifest.js';
import { readKeyTag } from '../stores/key-tag.js';
import type { ArtifactStore } from './artifact-store.js';
import { isLate } from './limit-calls.js';

/**
 * Bytes without a row wait so long. A row that is written in the host's transaction is seen by
 * nobody until that commits, and clocks differ: no transaction takes a week, nor is a clock that
 * much wrong by both the host and the store. Raw bytes may lie no longer even with a row (ART-1),
 * and these have no key.
 */
const strayMs = 7 * 86_400_000;

/**
 * More pages of a namespace than these wait for later sweeps, each of which begins somewhere else:
 * there is no hurry, and a look costs a folder's pace.
 */
const mostPages = 4;

/**
 * Deletes objects that end with the manifest's tag, that no row names, and that are a week old by
 * this host's clock and by the manifest's (ART-7). Gives the count; `failed` hears of each that
 * could not be deleted, and once of a store or manifest that cannot be read: nothing is deleted
 * then.
 */
export async function removeStrays(options: {
  store: ArtifactStore;
  manifest: ArtifactManifest<never>;
  clock: Pick<Clock, 'nowMs'>;
  random: Random;
  limit: number;
  failed(key: string, error: unknown): void;
  /** Aborted, it ends after the page under way. */
  signal?: AbortSignal | undefined;
}): Promise<number> {
  const { store, manifest } = options;
  if (store.listObjects === undefined) return 0;
  let removed = 0;
  try {
    const tag = await readKeyTag(manifest);
    for (const namespace of ['raw', 'redacted'] as const) {
      for await (const page of pages(store, namespace, options)) {
        if (options.signal?.aborted === true) return removed;
        const writtenBefore = options.clock.nowMs() - strayMs;
        const old = page.filter(({ key, writtenAt }) => key.endsWith(tag) && writtenAt.getTime() < writtenBefore);
        if (old.length === 0) continue;
        const unknown = new Set(await manifest.findUnknown(namespace, old, strayMs));
        const strays = old.filter(({ key }) => unknown.has(key));
        const outcome = await removeThese(store, namespace, strays, options.failed);
        removed += outcome.removed;
        if (outcome.isLate) return removed; // each further call would take as long
      }
    }
  } catch (error) {
    options.failed('strays', error);
  }
  return removed;
}

async function removeThese(
  store: ArtifactStore,
  namespace: ArtifactNamespace,
  strays: readonly StoredObject[],
  failed: (key: string, error: unknown) => void,
): Promise<{ removed: number; isLate: boolean }> {
  let removed = 0;
  for (const { key } of strays) {
    try {
      await store.delete({ namespace, key });
      removed++;
    } catch (error) {
      failed(key, error);
      if (isLate(error)) return { removed, isLate: true };
    }
  }
  return { removed, isLate: false };
}

/**
 * From anywhere in the namespace on to its end, then from its start: with keys that are random,
 * every object has its turn without a cursor.
 */
async function* pages(
  store: ArtifactStore,
  namespace: ArtifactNamespace,
  { random, limit }: { random: Random; limit: number },
): AsyncGenerator<readonly StoredObject[]> {
  const start = Buffer.from(random.bytes(16)).toString('hex');
  let after: string | undefined = start;
  let isAtStart = false;
  for (let n = 0; n < mostPages; n++) {
    const page: readonly StoredObject[] = (await store.listObjects?.(namespace, { after, limit })) ?? [];
    yield isAtStart ? page.filter(({ key }) => key <= start) : page;
    const last = page.at(-1);
    const isEnd = last === undefined || page.length < limit;
    if (isAtStart && (isEnd || last.key > start)) return;
    isAtStart ||= isEnd;
    after = isEnd ? undefined : last.key;
  }
}
