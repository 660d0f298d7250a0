import type { ArtifactNamespace, StoredObject } from '../stores/artifact-manifest.js';

/** Where encrypted bytes lie. `key` matches `^[a-z0-9]{32,64}$` and carries no meaning. */
export interface ArtifactLocation {
  namespace: ArtifactNamespace;
  key: string;
}

/**
 * Keeps opaque bytes under a location; encryption, policy and expiry are core's. Namespaces are
 * separate folders, buckets or accounts (ART-5). Throws `CriticizerError` with its own category for
 * outages (`network`, `auth`, …), never partial bytes as if whole.
 */
export interface ArtifactStore {
  /** The version of this port that the part is written to. Wiring refuses a number that it does not know. */
  readonly contract: 1;
  /**
   * Atomic: readers see all of it or nothing. A location is written once; a second write with the
   * same key throws `ARTIFACT_EXISTS`.
   */
  put(
    location: ArtifactLocation,
    body: AsyncIterable<Uint8Array>,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<void>;
  /** null where nothing lies. */
  get(
    location: ArtifactLocation,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<AsyncIterable<Uint8Array> | null>;
  /** Gone afterwards, whether or not it was there. */
  delete(location: ArtifactLocation): Promise<void>;
  exists(location: ArtifactLocation): Promise<boolean>;
  /** Keys in the namespace, in byte order, after `after`. */
  list(
    namespace: ArtifactNamespace,
    options: { after?: string | undefined; limit: number },
  ): Promise<readonly string[]>;
  /**
   * Like `list`, and when each was written; fewer than `limit` only where no more follow. With it,
   * every sweep removes objects that no manifest row names, such as those of a transaction that was
   * rolled back (ART-7); a store without it keeps them for ever.
   */
  listObjects?(
    namespace: ArtifactNamespace,
    options: { after?: string | undefined; limit: number },
  ): Promise<readonly StoredObject[]>;
  /**
   * Removes what writes left behind that began more than `olderThanMs` ago and did not end, such as
   * those of a killed process. Gives the count. For stores whose writes can leave something; every
   * sweep calls it.
   */
  removeLeftovers?(olderThanMs: number): Promise<number>;
}
