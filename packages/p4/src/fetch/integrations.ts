// Files that a change took over from another branch as they were: merges, copies, `p4 populate`.
import { parseDepotPath } from '../client/depot-path.js';
import type { DescribedChange, DescribedFile, P4Action } from '../client/describe.js';
import type { P4Client } from '../client/p4-client.js';
import { fieldNumber, fieldText, type P4Fields } from '../client/p4-output.js';
import type { AllowList } from '../policy/allow-list.js';
import { buildRevisionKey, type FileRevision, readAboutRevisions, readDigests } from './read-digests.js';

const mayBeTakenOver: ReadonlySet<P4Action> = new Set<P4Action>(['branch', 'integrate', 'import', 'add']);
/** Actions of files whose content came from another file. */
export const isIntegration: ReadonlySet<P4Action> = new Set<P4Action>(['branch', 'integrate', 'import']);

/**
 * Marks the files whose content is that of the revision they were integrated from, by the
 * server's digests. Sources are those that the files name (`nameShelfSources`), and for submitted
 * integrations without one those of `filelog`; a source outside the allow-list counts for nothing.
 * Asks the server only where a change has such files. Rejects with what `P4Client.run` rejects with.
 */
export async function markTakenOver(
  client: P4Client,
  files: readonly DescribedFile[],
  more: { status: DescribedChange['status']; allowList: AllowList; signal: AbortSignal },
): Promise<DescribedFile[]> {
  const { status, allowList, signal } = more;
  const candidates = files.filter(
    ({ action, digest, unaskable }) => mayBeTakenOver.has(action) && digest !== null && unaskable === undefined,
  );
  const unnamed = candidates.filter(
    ({ action, from }) => status === 'submitted' && from === null && isIntegration.has(action),
  );
  const logged = await readSources(client, unnamed, signal);
  const sources = new Map<DescribedFile, FileRevision>();
  for (const file of candidates) {
    const source = file.from ?? logged.get(buildRevisionKey({ path: file.path, revision: file.revision ?? 0 }));
    if (source === undefined || source.revision === null || !allowList.check(source.path).allowed) continue;
    sources.set(file, { path: source.path, revision: source.revision });
  }
  const digests = await readDigests(client, [...sources.values()], signal);
  return files.map((file) => {
    const source = sources.get(file);
    if (source === undefined) return file;
    const isTakenOver = digests.get(buildRevisionKey(source)) === file.digest;
    return { ...file, from: file.from ?? source, isTakenOver };
  });
}

/** By `buildRevisionKey` of the file that was integrated. */
async function readSources(
  client: P4Client,
  files: readonly DescribedFile[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, FileRevision>> {
  const operands = files.flatMap(({ path, revision }) => (revision === null ? [] : [`${path}#${revision}`]));
  const sources = new Map<string, FileRevision>();
  for (const fields of await readAboutRevisions(client, { name: 'filelog', flags: ['-m', '1'], operands }, signal)) {
    const [path, revision] = [fieldText(fields, 'depotFile'), fieldNumber(fields, 'rev0')];
    const source = readSource(fields);
    if (path !== null && revision !== null && source !== null)
      sources.set(buildRevisionKey({ path, revision }), source);
  }
  return sources;
}

/** The one revision that the newest one was integrated from; null where there are several, or none. */
function readSource(fields: P4Fields): FileRevision | null {
  const incoming: FileRevision[] = [];
  for (let at = 0; fields.has(`how0,${at}`); at += 1) {
    if (!/ from$/.test(fieldText(fields, `how0,${at}`) ?? '')) continue; // `copy into`: the other direction
    const path = fieldText(fields, `file0,${at}`);
    const revision = Number(/^#?([0-9]{1,10})$/.exec(fieldText(fields, `erev0,${at}`) ?? '')?.[1] ?? 0);
    if (path !== null && parseDepotPath(path).ok && revision > 0) incoming.push({ path, revision });
  }
  const [only, ...others] = incoming;
  return only !== undefined && others.length === 0 ? only : null;
}
