import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { CriticizerError } from '@criticizer/core/ports';

/**
 * Resolves the configured client. A file that others can replace is not ours to run: neither it nor,
 * but for sticky ones such as /tmp, a directory above it is writable by everyone. Throws
 * `P4_EXECUTABLE_UNUSABLE`.
 */
export async function checkExecutable(path: unknown): Promise<string> {
  if (typeof path !== 'string' || !isAbsolute(path)) throw unusableExecutable();
  const real = await realpath(path).catch(() => null);
  const found = real === null ? null : await stat(real).catch(() => null);
  if (real === null || found === null || !found.isFile() || (found.mode & 0o111) === 0 || (found.mode & 0o002) !== 0)
    throw unusableExecutable();
  for (const start of new Set([dirname(path), dirname(real)])) {
    for (let directory = start; ; directory = dirname(directory)) {
      const { mode } = await stat(directory);
      if ((mode & 0o002) !== 0 && (mode & 0o1000) === 0) throw unusableExecutable();
      if (directory === dirname(directory)) break;
    }
  }
  return real;
}

export function unusableExecutable(): CriticizerError {
  const says =
    'The configured p4 executable is missing, not executable, or it or a directory above it is writable by everyone.';
  return new CriticizerError('P4_EXECUTABLE_UNUSABLE', says, { category: 'validation' });
}
