import type { ChangeSummary } from '../../changes/change.js';
import type { ContextReader, ContextRefusal, ContextSession } from '../../changes/context-reader.js';
import { listOwners, type OwnersFile, parseOwnersFile } from './owners-file.js';

/** What was found for a change, and what was not read. */
export interface FoundOwners {
  /** As they stand in the files, in the order of the paths, each once. */
  owners: readonly string[];
  /** How many files, or paths, for which of these reasons; empty where everything was read. */
  unread: Readonly<Partial<Record<Exclude<ContextRefusal, 'absent'> | 'line' | 'path', number>>>;
}

/** Files of owners that one change reads at most; a path that needs more has no owner. */
const maxFiles = 500;
const limits = { maxFiles, maxFileBytes: 65_536, maxTotalBytes: 4_000_000, maxSearches: 0, maxHits: 0 };

/** `//depot/a/b.c` to `//depot/a`, `//depot`. */
function foldersOf(path: string): readonly string[] {
  const steps = path.slice(2).split('/').slice(0, -1);
  return steps.map((_, at) => `//${steps.slice(0, steps.length - at).join('/')}`);
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The change as it was before itself: a shelf as of when it was shelved, without its own files. */
function before(change: ChangeSummary) {
  const number = change.kind === 'submitted' ? change.number - 1 : change.number;
  return { ...change, number, files: [] };
}

/** Each file of owners, or null where there is none to be read. */
type ReadFiles = ReadonlyMap<string, OwnersFile | null>;

async function readFiles(
  session: ContextSession,
  places: readonly string[],
  note: (reason: keyof FoundOwners['unread'], count?: number) => void,
): Promise<ReadFiles> {
  const read = await Promise.all(
    places.map(async (place): Promise<[string, OwnersFile | null]> => {
      const answer = await session.read(place);
      if (answer.kind === 'text') return [place, parseOwnersFile(answer.text)];
      if (answer.reason !== 'absent') note(answer.reason);
      return [place, null];
    }),
  );
  return new Map(read);
}

/**
 * The owners of these depot paths: those that the nearest `fileName` names for it, in its folder or
 * above. Read as the change's source was before the change, so that no change removes its own
 * readers. At most 500 files, in one batch. Rejects as the reader does.
 */
export async function findOwners(
  reader: ContextReader,
  { change, paths, fileName }: { change: ChangeSummary; paths: readonly string[]; fileName: string },
  signal: AbortSignal,
): Promise<FoundOwners> {
  const unread: Partial<Record<keyof FoundOwners['unread'], number>> = {};
  const note = (reason: keyof FoundOwners['unread'], count = 1): void => {
    unread[reason] = (unread[reason] ?? 0) + count;
  };
  const places = new Set<string>();
  const asked = paths.filter((path) => {
    const missing = foldersOf(path)
      .map((folder) => `${folder}/${fileName}`)
      .filter((place) => !places.has(place));
    if (places.size + missing.length > maxFiles) {
      note('path');
      return false;
    }
    for (const place of missing) places.add(place);
    return true;
  });
  if (places.size === 0) return { owners: [], unread };
  const roots = [...new Set(asked.map((path) => `//${path.slice(2).split('/')[0]}/...`))];
  const session = reader.open(before(change), { roots, limits, signal });
  const files = await readFiles(session, [...places], note);
  for (const file of files.values()) if (file !== null && file.unread > 0) note('line', file.unread);
  const ownersOf = (path: string): readonly string[] => {
    for (const folder of foldersOf(path)) {
      const file = files.get(`${folder}/${fileName}`) ?? null;
      const owners = file === null ? [] : listOwners(file, nameOf(path));
      if (owners.length > 0 || file?.isTop === true) return owners;
    }
    return [];
  };
  return { owners: [...new Set(asked.flatMap(ownersOf))], unread };
}
