// A secret that cannot be read is a line with its variable, its file and the reason, before anything is done.
import { isCriticizerError } from '@criticizer/core';
import { UsageError } from '../config/usage-error.js';
import type { NeededSecret } from './configured-parts.js';

async function findMistake({ label, file, source, name }: NeededSecret): Promise<string | null> {
  try {
    await source.readAge(name);
    return null;
  } catch (error) {
    if (!isCriticizerError(error)) throw error;
    if (error.code === 'SECRET_MISSING') return `${label} ${file}: is missing or empty (SECRET_MISSING)`;
    const { reason, mode } = error.details ?? {};
    const why = [reason, mode].filter((part) => part !== undefined).join(' ');
    return `${label} ${file}: is refused for its ${why} (${error.code}); expected mode 0400 or 0600, owned by this user`;
  }
}

/** Reads every secret once. Throws `UsageError`, a line for each that cannot be read; no value is quoted. */
export async function requireSecrets(secrets: readonly NeededSecret[]): Promise<void> {
  const mistakes = await Promise.all(secrets.map(findMistake));
  const lines = mistakes.filter((line) => line !== null);
  if (lines.length > 0) throw new UsageError(lines);
}
