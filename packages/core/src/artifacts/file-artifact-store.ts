import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, lstat, mkdir, open, readdir, stat, unlink } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { checkOptions } from '../foundation/check-options.js';
import { CriticizerError } from '../foundation/errors.js';
import { checkedElsewhere } from '../foundation/option-checks.js';
import type { ArtifactNamespace, StoredObject } from '../stores/artifact-manifest.js';
import { checkLocation, isStorageKey } from './artifact-location.js';
import type { ArtifactLocation, ArtifactStore } from './artifact-store.js';

const errorCode = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | null)?.code;

/**
 * A failure of the file system parks: space comes back, a volume is mounted again, and no attempt of
 * a job is to blame. What the body or the signal threw stays as it is.
 */
function diskFailure(error: unknown): unknown {
  const { errno, code } = (error ?? {}) as NodeJS.ErrnoException;
  if (typeof errno !== 'number') return error;
  return new CriticizerError('ARTIFACT_STORE_UNAVAILABLE', `The artifact folder cannot be used (${code}).`, {
    category: 'upstream',
    parks: true,
    details: { code: code ?? null },
    cause: error,
  });
}

/** Nothing where nothing lies. */
async function missing(error: unknown): Promise<undefined> {
  if (errorCode(error) !== 'ENOENT') throw diskFailure(error);
}

/** In byte order; none of a folder that is not there. */
async function names(folder: string): Promise<string[]> {
  return ((await readdir(folder).catch(missing)) ?? []).sort();
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return; // folders cannot be opened for sync there
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

// long: the verbs of the port, each short, over one folder
/**
 * Artifact bytes as files of a local or mounted folder, mode 0600, one sub-folder per namespace and
 * first two characters of the key. A file appears whole, by a hard link after it is synced; a crash
 * leaves at most a `.partial` file, which the sweeper removes once it is a day old. Several
 * databases may share a folder: each sweeps what it wrote. A copy of a database on another host
 * needs a folder of its own.
 */
export function createFileArtifactStore(options: {
  /** Absolute. Made with mode 0700 where missing. */ directory: string;
}): ArtifactStore {
  checkOptions<typeof options>('createFileArtifactStore', options, { directory: checkedElsewhere });
  const { directory } = options;
  if (typeof directory !== 'string' || !isAbsolute(directory))
    throw new TypeError('createFileArtifactStore: directory must be an absolute path');

  const folderOf = (location: ArtifactLocation): string => {
    checkLocation(location);
    return join(directory, location.namespace, location.key.slice(0, 2));
  };
  const fileOf = (location: ArtifactLocation): string => join(folderOf(location), location.key);

  async function fill(
    handle: FileHandle,
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    for await (const part of body) {
      signal?.throwIfAborted();
      await handle.writeFile(part); // writes all of it, at the file's position
    }
    await handle.sync();
  }

  return {
    contract: 1,
    async put(location, body, { signal } = {}) {
      const folder = folderOf(location);
      const partial = join(folder, `${location.key}.${randomBytes(6).toString('hex')}.partial`);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const handle = await open(partial, 'wx', 0o600);
        try {
          await fill(handle, body, signal);
        } finally {
          await handle.close();
        }
        await link(partial, fileOf(location));
        await syncFolder(folder);
      } catch (error) {
        if (errorCode(error) === 'EEXIST')
          throw new CriticizerError('ARTIFACT_EXISTS', 'Something lies at this location already.', {
            category: 'conflict',
          });
        throw diskFailure(error);
      } finally {
        await unlink(partial).catch(() => undefined);
      }
    },
    async get(location) {
      const file = fileOf(location);
      try {
        const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
        return handle.createReadStream({ highWaterMark: 65_536 });
      } catch (error) {
        await missing(error);
        return null;
      }
    },
    async delete(location) {
      await unlink(fileOf(location)).catch(missing);
    },
    async exists(location) {
      try {
        return (await stat(fileOf(location))).isFile();
      } catch (error) {
        await missing(error);
        return false;
      }
    },
    async list(namespace: ArtifactNamespace, { after = '', limit }) {
      const found: string[] = [];
      const root = join(directory, namespace);
      for (const part of (await readdir(root).catch(() => [])).sort()) {
        if (found.length >= limit) break;
        if (part < after.slice(0, 2)) continue;
        for (const key of (await readdir(join(root, part))).sort()) {
          if (!key.endsWith('.partial') && key > after && found.length < limit) found.push(key);
        }
      }
      return found;
    },
    async listObjects(namespace: ArtifactNamespace, { after = '', limit }) {
      const found: StoredObject[] = [];
      const root = join(directory, namespace);
      try {
        for (const part of await names(root)) {
          if (part < after.slice(0, 2)) continue;
          for (const key of await names(join(root, part))) {
            if (found.length >= limit) return found;
            if (key <= after || !isStorageKey(key)) continue;
            const file = await lstat(join(root, part, key)).catch(missing);
            if (file?.isFile()) found.push({ key, writtenAt: file.mtime });
          }
        }
      } catch (error) {
        throw diskFailure(error);
      }
      return found;
    },
    async removeLeftovers(olderThanMs) {
      let removed = 0;
      for (const namespace of ['raw', 'redacted'])
        for (const part of await readdir(join(directory, namespace)).catch(() => []))
          for (const name of await readdir(join(directory, namespace, part)).catch(() => []))
            if (name.endsWith('.partial') && (await removeOld(join(directory, namespace, part, name), olderThanMs)))
              removed += 1;
      return removed;
    },
  };
}

/** False for one that is younger, gone, or cannot be removed. */
async function removeOld(partial: string, olderThanMs: number): Promise<boolean> {
  const found = await stat(partial).catch(() => undefined);
  if (found === undefined || Date.now() - found.mtimeMs <= olderThanMs) return false;
  return unlink(partial).then(
    () => true,
    () => false,
  );
}
