import { checkOptions } from '../foundation/check-options.js';
import { CriticizerError } from '../foundation/errors.js';
import { optional, withMethods } from '../foundation/option-checks.js';
import type { Clock } from '../foundation/time/clock.js';
import { systemClock } from '../foundation/time/system-clock.js';
import { checkLocation } from './artifact-location.js';
import type { ArtifactLocation, ArtifactStore } from './artifact-store.js';

/** Artifact bytes in this process's memory: for tests and trials. */
export function createMemoryArtifactStore(
  options: { /** Tells when an object was written. Default: the system's. */ clock?: Clock | undefined } = {},
): ArtifactStore {
  checkOptions<typeof options>('createMemoryArtifactStore', options, { clock: optional(withMethods('nowMs')) });
  const { clock = systemClock } = options;
  const stored = new Map<string, { bytes: Uint8Array; writtenMs: number }>();
  const place = (location: ArtifactLocation): string => {
    checkLocation(location);
    return `${location.namespace}/${location.key}`;
  };
  const list: (...about: Parameters<ArtifactStore['list']>) => string[] = (namespace, { after = '', limit }) => {
    const prefix = `${namespace}/`;
    return [...stored.keys()]
      .filter((at) => at.startsWith(prefix))
      .map((at) => at.slice(prefix.length))
      .filter((key) => key > after)
      .sort()
      .slice(0, limit);
  };
  return {
    contract: 1,
    async put(location, body, options) {
      const at = place(location);
      const parts: Uint8Array[] = [];
      for await (const part of body) {
        options?.signal?.throwIfAborted();
        parts.push(part);
      }
      if (stored.has(at))
        throw new CriticizerError('ARTIFACT_EXISTS', 'Something lies at this location already.', {
          category: 'conflict',
        });
      stored.set(at, { bytes: Buffer.concat(parts), writtenMs: clock.nowMs() });
    },
    async get(location) {
      const found = stored.get(place(location));
      return found === undefined ? null : chunksOf(found.bytes);
    },
    async delete(location) {
      stored.delete(place(location));
    },
    async exists(location) {
      return stored.has(place(location));
    },
    list: async (namespace, options) => list(namespace, options),
    listObjects: async (namespace, options) =>
      list(namespace, options).map((key) => ({
        key,
        writtenAt: new Date(stored.get(`${namespace}/${key}`)?.writtenMs ?? Number.NaN),
      })),
  };
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield Uint8Array.from(bytes.subarray(at, at + 65_536));
}
