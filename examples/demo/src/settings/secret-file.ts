import { basename, dirname } from 'node:path';
import { createFileSecrets, isCriticizerError, type SecretSource } from '@criticizer/core';
import { UsageError } from './usage-error.js';

/** A secret that a private file holds alone, as options of the packages take it. */
export function secretIn(file: string): { source: SecretSource; name: string } {
  return { source: createFileSecrets({ directory: dirname(file) }), name: basename(file) };
}

/**
 * Reads the secret once, so that a run does not begin with one that nobody can read. Throws
 * `UsageError` that names the setting.
 */
export async function requireSecretFile(setting: string, file: string): Promise<void> {
  const { source, name } = secretIn(file);
  await source.read(name).catch((error: unknown) => {
    const reason = isCriticizerError(error)
      ? `${error.code} ${String(error.details['reason'] ?? '')}`.trim()
      : 'unreadable';
    throw new UsageError(
      `${setting} ${file} cannot be used (${reason}): name a file of yours alone (0600) that holds the secret.`,
    );
  });
}
