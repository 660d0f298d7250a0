import { CriticizerError } from '../errors.js';
import { checkLocation } from './artifact-location.js';
import type { ArtifactLocation, ArtifactStore } from './artifact-store.js';

/** Artifact bytes in this process's memory: for tests and trials. */
export function createMemoryArtifactStore(): ArtifactStore {
  const stored = new Map<string, Uint8Array>();
  const place = (location: ArtifactLocation): string => {
    checkLocation(location);
    return `${location.namespace}/${location.key}`;
  };
  return {
    async put(location, body, options) {
      const at = place(location);
      const parts: Uint8Array[] = [];
      for await (const part of body) {
        options?.signal?.throwIfAborted();
        parts.push(part);
      }
      if (stored.has(at))
        throw new CriticizerError('ARTIFACT_EXISTS', 'Something lies at this location already.', { category: 'conflict' });
      stored.set(at, Buffer.concat(parts));
    },
    async get(location) {
      const bytes = stored.get(place(location));
      return bytes === undefined ? null : chunksOf(bytes);
    },
    async delete(location) {
      stored.delete(place(location));
    },
    async exists(location) {
      return stored.has(place(location));
    },
    async list(namespace, { after = '', limit }) {
      const prefix = `${namespace}/`;
      return [...stored.keys()]
        .filter((at) => at.startsWith(prefix))
        .map((at) => at.slice(prefix.length))
        .filter((key) => key > after)
        .sort()
        .slice(0, limit);
    },
  };
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield Uint8Array.from(bytes.subarray(at, at + 65_536));
}
