import type { Secret } from './secret.js';

/** One version of a credential. */
export interface SecretVersion {
  secret: Secret;
  /** Changes whenever the value does; never derived from it in a way that could be turned back. */
  version: string;
  /** When the manager made it, where it says so; feeds the rotation warning (SEC-5). */
  createdAt?: Date | undefined;
}

/** The current version and, during a rotation, the one before: both must work (SEC-5, dual-key overlap). */
export interface SecretVersions {
  current: SecretVersion;
  previous?: SecretVersion | undefined;
}

/**
 * Where credentials come from: the environment or a secret manager, nothing else (SEC-1). Read
 * before every use, so that an emergency rotation needs no restart; an implementation may cache for
 * seconds, not longer. Throws `SECRET_MISSING` or `SECRET_REJECTED` (a file others can read), never
 * naming the value.
 */
export interface SecretSource {
  /** The version of this port that the part is written to. Wiring refuses a number that it does not know. */
  readonly contract: 1;
  read(name: string, options?: { signal?: AbortSignal | undefined }): Promise<SecretVersions>;
}
