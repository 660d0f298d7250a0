import { createHash } from 'node:crypto';
import { CriticizerError } from '../foundation/errors.js';
import type { ArtifactManifest } from './artifact-manifest.js';

/**
 * The tag of a manifest from what tells it from all others: a random id that its database keeps,
 * and where that database is. A copy elsewhere has another tag, so what sweeps for the copy takes
 * nothing of the original's. `STORE_INVARIANT` where the database has lost its id.
 */
export function deriveKeyTag(id: string | undefined, place: readonly string[] = []): string {
  if (id === undefined || id === '')
    throw new CriticizerError('STORE_INVARIANT', 'The artifact manifest has lost its id.', { category: 'bug' });
  return createHash('sha256')
    .update(JSON.stringify([id, ...place]))
    .digest('hex')
    .slice(0, 16);
}

/** A manifest's tag. `STORE_INVARIANT` for one that is malformed: an empty one would end every key. */
export async function readKeyTag<Tx>(manifest: Pick<ArtifactManifest<Tx>, 'keyTag'>, tx?: Tx): Promise<string> {
  const tag = await manifest.keyTag({ tx });
  if (!/^[a-z0-9]{16}$/.test(tag))
    throw new CriticizerError('STORE_INVARIANT', 'An artifact manifest has no tag for its keys.', { category: 'bug' });
  return tag;
}
