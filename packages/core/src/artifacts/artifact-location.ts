import type { ArtifactLocation } from './artifact-store.js';

const grammar = /^[a-z0-9]{32,64}$/;

/** False for a name that no object of a namespace can have. */
export function isStorageKey(name: string): boolean {
  return grammar.test(name);
}

/** Refuses what could reach outside a namespace. A caller's mistake: `TypeError`. */
export function checkLocation(location: ArtifactLocation): void {
  if (location.namespace !== 'raw' && location.namespace !== 'redacted')
    throw new TypeError(
      `artifact location: namespace must be "raw" or "redacted", not ${JSON.stringify(location.namespace)}`,
    );
  if (!isStorageKey(location.key))
    throw new TypeError('artifact location: key must be 32 to 64 characters of a-z and 0-9');
}
