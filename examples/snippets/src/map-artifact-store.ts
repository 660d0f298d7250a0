// #region store
import { CriticizerError } from '@criticizer/core';
import type { ArtifactLocation, ArtifactStore } from '@criticizer/core/artifacts';

/** Keeps artifact bytes in a Map. Put your bucket, share or table in its place. */
export function createMapArtifactStore(objects = new Map<string, Uint8Array>()): ArtifactStore {
  const pathOf = ({ namespace, key }: ArtifactLocation): string => {
    if (namespace !== 'raw' && namespace !== 'redacted') throw new TypeError('artifact store: unknown namespace');
    if (!/^[a-z0-9]{32,64}$/.test(key)) throw new TypeError('artifact store: key expects 32 to 64 of a-z and 0-9');
    return `${namespace}/${key}`;
  };
  return {
    contract: 1,
    async put(location, body, { signal } = {}) {
      const path = pathOf(location);
      const parts: Uint8Array[] = [];
      for await (const part of body) {
        signal?.throwIfAborted();
        parts.push(part);
      }
      // Whole, and only where nothing lies: "put if absent" of an object store does both in one request.
      if (objects.has(path))
        throw new CriticizerError('ARTIFACT_EXISTS', 'Something lies here already.', { category: 'conflict' });
      objects.set(path, Buffer.concat(parts));
    },
    async get(location) {
      const bytes = objects.get(pathOf(location));
      if (bytes === undefined) return null;
      return (async function* () {
        yield bytes;
      })();
    },
    async delete(location) {
      objects.delete(pathOf(location));
    },
    async exists(location) {
      return objects.has(pathOf(location));
    },
    async list(namespace, { after = '', limit }) {
      const keys = [...objects.keys()]
        .filter((path) => path.startsWith(`${namespace}/`))
        .map((path) => path.slice(namespace.length + 1));
      return keys
        .sort()
        .filter((key) => key > after)
        .slice(0, limit);
    },
  };
}
// #endregion
