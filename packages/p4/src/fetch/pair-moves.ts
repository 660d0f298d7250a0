// Sources of moves that the server does not name, as in some shelves (`fromFile` is missing there).
import { posix } from 'node:path';
import { foldAscii } from '../client/depot-path.js';
import type { DescribedChange, DescribedFile } from '../client/describe.js';
import type { P4Client } from '../client/p4-client.js';
import { buildRevisionKey, readDigests } from './read-digests.js';

/**
 * Fills in `from` of moved files without a source: a deleted side with the same digest is the
 * source. A moved file that was edited as well has another digest, and stays as it is. Asks the
 * server, once, only where several files could be meant. Rejects with what `P4Client.run` rejects
 * with.
 */
export async function pairMovesByDigest(
  client: P4Client,
  files: readonly DescribedFile[],
  { status, signal }: { status: DescribedChange['status']; signal: AbortSignal },
): Promise<readonly DescribedFile[]> {
  const named = new Set(files.flatMap(({ from }) => (from === null ? [] : [foldAscii(from.path)])));
  const gone = files.flatMap((file) => {
    const isOpen = file.action === 'move/delete' && file.unaskable === undefined && !named.has(foldAscii(file.path));
    const revision = isOpen && file.revision !== null ? file.revision - (status === 'submitted' ? 1 : 0) : 0;
    return revision < 1 ? [] : [{ path: file.path, revision }];
  });
  const open = files.filter(({ action, from, digest }) => action === 'move/add' && from === null && digest !== null);
  // One of each is a pair whatever the digests: an edited move.
  if (open.length === 0 || gone.length === 0 || open.length + gone.length === 2) return files;
  const digests = await readDigests(client, gone, signal);
  const sources = new Map<DescribedFile, DescribedFile['from']>();
  for (const file of open) {
    const same = gone.filter((source) => digests.get(buildRevisionKey(source)) === file.digest);
    // Of several with one content the one that keeps its name; else the first, as the content is the same.
    const source = same.find(({ path }) => posix.basename(path) === posix.basename(file.path)) ?? same[0];
    if (source === undefined) continue;
    sources.set(file, source);
    gone.splice(gone.indexOf(source), 1);
  }
  return files.map((file) => ({ ...file, from: sources.get(file) ?? file.from }));
}
