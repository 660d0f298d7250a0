import type { Secret } from './secret.js';

/** One version of a credential. */
export interface SecretVersion {
  secret: Secret;
  /** Changes whenever the value does; never derived from it in a way that could be turned back. */
  version: string;
  /** When the manager made it, where it says so; `createExpiringSecrets` warns by it (SEC-5). */
  createdAt?: Date | undefined;
}

/** A date as a manager's metadata has it, ISO 8601; undefined for a text that is none, so that no age is claimed. */
export function readCreatedAt(text: string): Date | undefined {
  const date = /^\d{4}-\d{2}-\d{2}/.test(text) ? new Date(text) : new Date(Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
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
