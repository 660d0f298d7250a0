import { lstat, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@criticizer/core/ports';

/** What the names of private directories begin with. */
export const environmentPrefix = 'criticizer-p4-run-';

/** Longer than any command of any process on this host takes. */
const dayMs = 86_400_000;

/**
 * Removes the private directories, and with them the copies of tickets, that killed processes of
 * this user left behind. Never throws.
 */
export async function removeAbandonedEnvironments(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter((found) => found.startsWith(environmentPrefix))) {
    const path = join(tmpdir(), name);
    const found = await lstat(path).catch(() => null);
    if (found === null || !found.isDirectory() || found.uid !== process.getuid?.()) continue;
    if (systemClock.nowMs() - found.mtimeMs > dayMs)
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
